import type { PatternWord } from '../types.js';

/** `./**`: files in the working folder. */
export const IN_FOLDER: PatternWord = [{ text: './' }, { stars: 2 }];

export function isFolderWord(word: PatternWord | undefined): boolean {
  const [first, second] = word ?? [];
  if (word?.length !== 2 || first === undefined || second === undefined) return false;
  return 'text' in first && first.text === './' && 'stars' in second && second.stars === 2;
}

/** Whether a path names the folder or something in it. False for every `..`, because links make it ambiguous, and for `~`. */
export function isInFolder(path: string, folder: readonly string[] | undefined): boolean {
  if (folder === undefined || folder.length === 0) return false;
  if (path === '' || path.includes('\0') || path.startsWith('~')) return false;
  const segments = path.split('/');
  if (segments.includes('..')) return false;
  if (!path.startsWith('/')) return true;
  const named = segments.filter((segment) => segment !== '' && segment !== '.');
  return folder.every((segment, index) => named[index] === segment);
}
