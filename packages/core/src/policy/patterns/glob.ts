import type { PatternWord } from '../types.js';

/** Literal parts with a star between each two. One part: no star. */
export type Glob = readonly string[];

/** `fold` is applied to the literal parts, for texts that are compared in a folded form. */
export function wordGlob(word: PatternWord, fold: (text: string) => string = String): Glob {
  const parts = [''];
  for (const piece of word) {
    if ('stars' in piece) parts.push('');
    else parts[parts.length - 1] = fold(piece.text);
  }
  return parts;
}

/** A glob over tool names, which have no quoting. */
export function toolGlob(text: string): Glob {
  return text.split('*');
}

/**
 * Each literal is searched once, from where the last one ended: linear in the text. A model chooses the text, so a
 * matcher that backtracks would let it stop the process.
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
