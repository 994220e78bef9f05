import { constants, type BigIntStats } from 'node:fs';
import { lstat, open, type FileHandle } from 'node:fs/promises';
import { toPath } from './file-names.js';
import { codeOf } from './move.js';

export async function find(path: string): Promise<BigIntStats | undefined> {
  return await lstat(toPath(path), { bigint: true }).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
}

/** An open folder, and a path to it. On Linux, no rename or symlink can redirect the path. */
export interface OpenFolder {
  readonly handle: FileHandle;
  readonly at: string;
}

export async function openFolder(path: string): Promise<OpenFolder> {
  const handle = await open(toPath(path), constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  return { handle, at: process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : path };
}
