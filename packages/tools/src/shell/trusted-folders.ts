import { delimiter, isAbsolute, sep } from 'node:path';

/**
 * The PATH folders from which we start programs outside the sandbox. Excludes relative folders and `node_modules/.bin`, which npm puts
 * first: an agent could write a program there that would run with our permissions.
 */
export function trustedFolders(path: string): string[] {
  return path.split(delimiter).filter((entry) => isAbsolute(entry) && !entry.split(sep).includes('node_modules'));
}
