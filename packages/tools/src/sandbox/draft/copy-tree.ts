import { constants } from 'node:fs';
import { cp } from 'node:fs/promises';

/** Copies a file or folder to a new name on another disk, with modes and times. Symlinks stay as they are. Never writes to an existing file. */
export async function copyTree(from: string, to: string): Promise<void> {
  await cp(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    preserveTimestamps: true,
    force: false,
    errorOnExist: true,
    mode: constants.COPYFILE_EXCL,
  });
}
