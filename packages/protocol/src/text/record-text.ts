/**
 * The text of an audit record that its chain hash covers (LOG1): JSON with sorted keys and no undefined values. Verifying a chain must
 * reproduce the exact text that was hashed.
 */
export function recordText(record: unknown): string {
  return JSON.stringify(sorted(record));
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  if (hasOwnForm(value)) return sorted(value.toJSON());
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value).sort()) {
    const inner = sorted((value as Record<string, unknown>)[key]);
    // Plain assignment would set the prototype, and the key would be missing from the text.
    if (key === '__proto__') Object.defineProperty(copy, key, { value: inner, enumerable: true });
    else copy[key] = inner;
  }
  return copy;
}

function hasOwnForm(value: object): value is { toJSON(): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function';
}
