import { CountersignError } from './errors.js';

/**
 * Rejects unknown keys. Ignoring a misspelled key can do the opposite of what its author meant: a tool with `needsApproval: true`
 * would run without approval. `instead`: replacements for keys from other libraries.
 */
export function refuseUnknownKeys(
  given: object,
  known: Readonly<Record<string, unknown>>,
  what: string,
  instead: Readonly<Record<string, string>> = {},
): void {
  const key = Object.keys(given).find((name) => !Object.hasOwn(known, name));
  if (key === undefined) return;
  const folded = key.toLowerCase().replaceAll(/[_-]/g, '');
  const same = Object.keys(known).find((name) => name.toLowerCase() === folded);
  const advice = same ?? (Object.hasOwn(instead, folded) ? instead[folded] : undefined);
  const how = advice === undefined ? `Known keys: ${Object.keys(known).join(', ')}.` : `Write ${advice} instead.`;
  throw new CountersignError('invalid', `${what}: unknown key "${key}". ${how}`, { field: key });
}
