/** Converts a value from third-party code that should be a string. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint' || typeof value === 'symbol') return value.toString();
  return value === undefined || value === null ? '' : (JSON.stringify(value) ?? '');
}

/** The message of an error. Never empty and never throws, because third-party code may throw anything. */
export function errorMessage(error: unknown): string {
  try {
    const words: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'message') : error;
    const text = textOf(words);
    if (text !== '') return text;
  } catch {
    // A getter or proxy threw.
  }
  return 'unknown error';
}
