const OTHER_SPACE = /[^\S\n\r]/;

/** White space that doesn't end a line. */
export function isSpace(character: string | undefined): boolean {
  if (character === undefined) return false;
  if (character === ' ' || character === '\t') return true;
  return (character > '~' || character < ' ') && OTHER_SPACE.test(character);
}

/** Skips white space and the given characters, up to the end of the line. */
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
/** Separators between mentions and the text for them. */
export const AFTER_MENTIONS = ',;:，、；：';

/**
 * Finds the next occurrence of a mark, for increasing positions. Calling `indexOf` for each line would scan a text without the mark
 * once per line.
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
