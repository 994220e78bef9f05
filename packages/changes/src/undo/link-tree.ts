import { chmod, lchown, link, lstat, mkdir, readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { copyTree } from '../files/copy-tree.js';

/** Gives a file, or all files in a folder, a second name, so that the first one stays when the second is moved away. Both must be private to us. */
export async function linkTree(from: string, to: string): Promise<void> {
  const stats = await lstat(from);
  if (!stats.isDirectory()) {
    // Some disks don't support links.
    await link(from, to).catch(() => copyTree(from, to));
    return;
  }
  await mkdir(to, { mode: 0o700 });
  for (const name of await readdir(from)) await linkTree(join(from, name), join(to, name));
  await lchown(to, stats.uid, stats.gid).catch(() => undefined);
  await utimes(to, stats.atime, stats.mtime);
  await chmod(to, stats.mode & 0o7777);
}
