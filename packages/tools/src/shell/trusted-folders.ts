import { delimiter, isAbsolute, sep } from 'node:path';

/**
 * The folders of a path from which we start programs ourselves, outside every sandbox. Not a relative one, and not the
 * `node_modules/.bin` that npm puts first: both can lie in the folder an agent writes to, and what it left there would run as us.
 */
export function trustedFolders(path: string): string[] {
  return path.split(delimiter).filter((entry) => isAbsolute(entry) && !entry.split(sep).includes('node_modules'));
}
