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
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

function hasOwnForm(value: object): value is { toJSON(): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function';
}
