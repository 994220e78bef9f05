import { HIDDEN } from '@countersign/protocol';

/** What makes a shell do something else than pass a literal on. None of these is ever hidden by a mask. */
export const shellOperators = '$`;|&<>()';

/** A word: no white space, no operator, no quote, no backslash, nothing invisible. Masks are made of words only. */
export const wordCharacter = `[^\\s"'\\\\${shellOperators}${HIDDEN}]`;

/** The most that is held back, and the longest stretch that one mask covers. */
export const holdLimit = 16 * 1024;

/**
 * How much of one text or one value is searched for secrets: what a model may get of a result (T13), with some room. Without
 * a limit one text of megabytes would block the process for seconds.
 */
export const scanLimit = 68 * 1024;

/** The arguments of a longer call are shown without masks: whatever is not scanned may be what runs. */
export const callLimit = 32 * 1024;

/** Where to cut a text of which only `limit` characters are scanned: before a word, so that no half of a secret shows. */
export function scanEnd(text: string, limit: number): number {
  if (text.length <= limit) return text.length;
  const blank = /\s\S*$/.exec(text.slice(Math.max(0, limit - 1024), limit));
  return blank === null ? limit : Math.max(0, limit - 1024) + blank.index + 1;
}
