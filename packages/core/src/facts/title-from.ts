import { maskSecrets } from '../masking/index.js';

const LONGEST_TITLE = 80;
/** How much of a text is searched for a title: enough for its first line, and little enough not to block the process. */
const LONGEST_START = 8 * 1024;

/** One line of visible text, without secrets. Undefined if nothing is left. */
export function titleFrom(content: string): string | undefined {
  const line = maskSecrets(content)
    .slice(0, LONGEST_START)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .replace(/^["'#\s]+|["'\s]+$/gu, '')
    .slice(0, LONGEST_TITLE);
  return line === '' ? undefined : line;
}
