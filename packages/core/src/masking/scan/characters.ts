import { HIDDEN } from '@countersign/protocol';

/** Shell operators and expansions. A mask never hides them. */
export const shellOperators = '$`;|&<>()';

/** A word character: no whitespace, operator, quote, backslash or invisible character. Masks cover only words. */
export const wordCharacter = `[^\\s"'\\\\${shellOperators}${HIDDEN}]`;

/** The maximum number of characters to hold back, and the longest text that one mask covers. */
export const holdLimit = 16 * 1024;

/**
 * How many characters of one text or value are scanned: as much of a result as a model may get (TURN13), plus a margin. Without a limit, a text of
 * several megabytes would block the process for seconds.
 */
export const scanLimit = 68 * 1024;

/** Longer arguments are shown without masks: text that isn't scanned might be executed, so it must not be hidden. */
export const callLimit = 32 * 1024;

/** Where to truncate a text at `limit` characters: before a word, so that no part of a secret is shown. */
export function scanEnd(text: string, limit: number): number {
  if (text.length <= limit) return text.length;
  const blank = /\s\S*$/.exec(text.slice(Math.max(0, limit - 1024), limit));
  return blank === null ? limit : Math.max(0, limit - 1024) + blank.index + 1;
}
