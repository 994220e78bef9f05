import { cp } from 'node:fs/promises';

/** Copies a file or folder to another disk, with modes and times. Symlinks stay as they are. */
export async function copyTree(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
}
