import { maskSecrets } from '../masking/index.js';

const LONGEST_TITLE = 80;

/** One line of visible text, without secrets. Undefined if nothing is left. */
export function titleFrom(content: string): string | undefined {
  const line = maskSecrets(content)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .replace(/^["'#\s]+|["'\s]+$/gu, '')
    .slice(0, LONGEST_TITLE);
  return line === '' ? undefined : line;
}
