/** What code from elsewhere gives where it promised text. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint' || typeof value === 'symbol') return value.toString();
  return value === undefined || value === null ? '' : (JSON.stringify(value) ?? '');
}

/** Never empty and never throws: what a tool or a provider throws may be anything, also something nobody can read. */
export function wordsOf(error: unknown): string {
  try {
    const words: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'message') : error;
    const text = textOf(words);
    if (text !== '') return text;
  } catch {
    // A getter or a proxy of its own.
  }
  return 'unknown error';
}
