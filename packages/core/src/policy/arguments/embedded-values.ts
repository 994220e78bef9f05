/** The list or object that a text is as JSON. */
export function readContainer(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** What a text says that is a JSON string, or else all of it between quotes: at once, or a million quotes would be a million steps. */
export function quotedIn(text: string): readonly string[] {
  const found = text.search(/[^\s"'`“”‘’«»„]/u);
  const first = found < 0 ? text.length : found;
  if (!/["'`“”‘’«»„]/u.test(text.slice(0, first))) return [];
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'string') return [parsed];
  } catch {
    // Quoted by somebody else.
  }
  let end = text.length;
  while (end > first && /[\s"'`“”‘’«»]/u.test(text.charAt(end - 1))) end -= 1;
  return [text.slice(first, end)];
}
