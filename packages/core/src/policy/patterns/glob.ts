import type { PatternWord } from '../types.js';

/** Literal parts, with a star between each pair. A single part has no star. */
export type Glob = readonly string[];

/** `fold` is applied to the literal parts, for comparing folded text. */
export function wordGlob(word: PatternWord, fold: (text: string) => string = String): Glob {
  const parts = [''];
  for (const piece of word) {
    if ('stars' in piece) parts.push('');
    else parts[parts.length - 1] = fold(piece.text);
  }
  return parts;
}

/** A glob for tool names; it has no quoting. */
export function toolGlob(text: string): Glob {
  return text.split('*');
}

/**
 * Searches each literal once, starting where the last one ended, so it takes linear time. The model chooses the text, and a
 * backtracking matcher would let it hang the process.
 */
export function matchesGlob(glob: Glob, text: string): boolean {
  const first = glob[0] ?? '';
  if (glob.length === 1) return text === first;
  const last = glob.at(-1) ?? '';
  const end = text.length - last.length;
  if (first.length > end || !text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (let index = 1; index < glob.length - 1; index += 1) {
    const part = glob[index] ?? '';
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
