import { lstatSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { isInside } from '../../files/is-inside.js';
import { SECRET_FOLDERS } from './secret-names.js';

/** Deeper in a home: the folders of single programs that hold nothing but their secrets. */
const DEEPER = ['.config/gcloud', '.config/gh', '.local/share/keyrings', 'Library/Keychains'];

/**
 * The folder for secrets in a person's home that a folder is, holds or lies in, such as `~/.ssh`. Both paths are real; links of the
 * person's own, such as `~/.ssh` into a folder of dotfiles, are followed.
 */
export function secretFolderAt(folder: string, home: string): string | undefined {
  for (const name of [...SECRET_FOLDERS, ...DEEPER]) {
    const secret = realPathOf(join(home, name));
    if (secret !== undefined && (isInside(secret, folder) || isInside(folder, secret))) return `~/${name}`;
  }
  return undefined;
}

/** Why a working folder is refused, after "the working folder …" (A21). */
export function secretFolderWords(secret: string): string {
  return `holds, or lies in, ${secret}, a folder for keys and passwords that agents must not reach; choose another`;
}

function realPathOf(path: string): string | undefined {
  try {
    // Most are not there, and an error for each would cost more than all the rest of the check.
    return lstatSync(path, { throwIfNoEntry: false }) === undefined ? undefined : realpathSync.native(path);
  } catch {
    return undefined;
  }
}
