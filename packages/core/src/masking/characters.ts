import { HIDDEN } from '@countersign/protocol';

/** What makes a shell do something else than pass a literal on. None of these is ever hidden by a mask. */
export const shellOperators = '$`;|&<>()';

/** A word: no white space, no operator, no quote, no backslash, nothing invisible. Masks are made of words only. */
export const wordCharacter = `[^\\s"'\\\\${shellOperators}${HIDDEN}]`;

/** The most that is held back, and the longest stretch that one mask covers. */
export const holdLimit = 16 * 1024;
