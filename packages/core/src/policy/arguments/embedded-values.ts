/** Parses a text that is a JSON list or object. */
export function readContainer(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Strips quotes: returns the parsed JSON string, or the text between the quotes. Strips all of them at once, because a text may have a million
 * quotes.
 */
export function quotedIn(text: string): readonly string[] {
  const found = text.search(/[^\s"'`“”‘’«»„]/u);
  const first = found < 0 ? text.length : found;
  if (!/["'`“”‘’«»„]/u.test(text.slice(0, first))) return [];
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'string') return [parsed];
  } catch {
    // Not JSON quotes.
  }
  let end = text.length;
  while (end > first && /[\s"'`“”‘’«»]/u.test(text.charAt(end - 1))) end -= 1;
  return [text.slice(first, end)];
}
