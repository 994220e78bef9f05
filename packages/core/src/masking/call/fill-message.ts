import { MESSAGE_FIELD } from '@countersign/protocol';

/**
 * Fills `{argument}` and `{nested.argument}` of a tool's approval message from the masked arguments (A1). A placeholder that names no
 * argument stays as written. What is filled in is not read again, so an argument can't bring in a placeholder of its own.
 */
export function fillMessage(template: string, maskedArguments: unknown): string {
  return template.replaceAll(MESSAGE_FIELD, (written, path: string) => {
    const value = ownValue(maskedArguments, [path]) ?? ownValue(maskedArguments, path.split('.'));
    return value === undefined ? written : (inWords(value) ?? written);
  });
}

function ownValue(from: unknown, path: readonly string[]): unknown {
  let value = from;
  for (const key of path) {
    // Own properties only: `{constructor}` names no argument.
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

function inWords(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value);
  } catch {
    // Nested too deep to be written: the message keeps its placeholder rather than failing the approval.
    return undefined;
  }
}
