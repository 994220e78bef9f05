const OTHER_SPACE = /[^\S\n\r]/;

/** White space that does not end a line. */
export function isSpace(character: string | undefined): boolean {
  if (character === undefined) return false;
  if (character === ' ' || character === '\t') return true;
  return (character > '~' || character < ' ') && OTHER_SPACE.test(character);
}

/** How far white space, and what else is given, reaches from here; never past the line. */
export function skipSpace(content: string, position: number, alsoSkipped = ''): number {
  let end = position;
  for (;;) {
    const character = content[end];
    if (character === undefined || !(isSpace(character) || alsoSkipped.includes(character))) return end;
    end += 1;
  }
}

/** What may stand between two mentions of one list. */
export const BETWEEN_MENTIONS = ',，、';
/** What may stand between mentions and the words meant for them. */
export const AFTER_MENTIONS = ',;:，、；：';

/**
 * The next place of a mark for rising positions. Asking `indexOf` anew for each line would read a text without the
 * mark to its end as many times as it has lines.
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
