const OTHER_SPACE = /[^\S\n\r]/;

/** Whitespace that doesn't end a line. */
export function isSpace(character: string | undefined): boolean {
  if (character === undefined) return false;
  if (character === ' ' || character === '\t') return true;
  return (character > '~' || character < ' ') && OTHER_SPACE.test(character);
}

/** Skips whitespace and the given characters, up to the end of the line. */
export function skipSpace(content: string, position: number, alsoSkipped = ''): number {
  let end = position;
  for (;;) {
    const character = content[end];
    if (character === undefined || !(isSpace(character) || alsoSkipped.includes(character))) return end;
    end += 1;
  }
}

/** Separators between two mentions in a list. */
export const BETWEEN_MENTIONS = ',，、';
/** Separators between mentions and the message text after them. */
export const AFTER_MENTIONS = ',;:，、；：';

/**
 * Finds the next occurrence of a mark. Positions must increase between calls. Calling `indexOf` once per line would be quadratic for text
 * without the mark.
 */
export function nextPlaceOf(content: string, mark: string): (position: number) => number {
  let place = -1;
  return (position) => {
    if (place < position) {
      const found = content.indexOf(mark, position);
      place = found < 0 ? Infinity : found;
    }
    return place;
  };
}
