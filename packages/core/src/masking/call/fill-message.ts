import { MESSAGE_FIELD } from '@countersign/protocol';

/**
 * Fills `{argument}` and `{nested.argument}` in a tool's approval message from the masked arguments (CALL1). Unknown placeholders stay.
 * Inserted text isn't scanned again, so an argument can't inject a placeholder.
 */
export function fillMessage(template: string, maskedArguments: unknown): string {
  return template.replaceAll(MESSAGE_FIELD, (written, path: string) => {
    const value = ownValue(maskedArguments, [path]) ?? ownValue(maskedArguments, path.split('.'));
    return value === undefined ? written : (toText(value) ?? written);
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

function toText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value);
  } catch {
    // Too deeply nested to serialize: keep the placeholder instead of failing the approval.
    return undefined;
  }
}
