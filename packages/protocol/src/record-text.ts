/**
 * What of an audit record its link is the hash of (A16): JSON in one spelling, keys sorted, nothing undefined. Whoever checks a chain must
 * come to the text that was hashed when it was written.
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
    // Assigned, this one would set the prototype and be missing from the text.
    if (key === '__proto__') Object.defineProperty(copy, key, { value: inner, enumerable: true });
    else copy[key] = inner;
  }
  return copy;
}

function hasOwnForm(value: object): value is { toJSON(): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function';
}
