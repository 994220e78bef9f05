import { HIDDEN } from '@countersign/protocol';

/** Shell operators and expansions. A mask never hides them. */
export const shellOperators = '$`;|&<>()';

/** A word character: no white space, operator, quote, backslash or invisible character. Masks consist of words only. */
export const wordCharacter = `[^\\s"'\\\\${shellOperators}${HIDDEN}]`;

/** How many characters may be held back, and the longest text that one mask covers. */
export const holdLimit = 16 * 1024;

/**
 * How many characters of one text or value are scanned: what a model may get of a result (T13), plus some room. Without a limit, a
 * text of several megabytes would block the process for seconds.
 */
export const scanLimit = 68 * 1024;

/** Longer arguments are shown without masks, because text that isn't scanned may be what runs. */
export const callLimit = 32 * 1024;

/** Where to truncate a text at `limit` characters: before a word, so that no part of a secret is shown. */
export function scanEnd(text: string, limit: number): number {
  if (text.length <= limit) return text.length;
  const blank = /\s\S*$/.exec(text.slice(Math.max(0, limit - 1024), limit));
  return blank === null ? limit : Math.max(0, limit - 1024) + blank.index + 1;
}
