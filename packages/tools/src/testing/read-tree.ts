import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Every path in a folder with its kind, permissions, owner, hard links and content. Two folders with equal trees have the same files, byte for
 * byte; with `anyOrder`, apart from the order of the lines in them.
 */
export function readTree(folder: string, { anyOrder = false } = {}): Map<string, string> {
  const tree = new Map<string, string>();
  const firstNames = new Map<bigint, string>();
  const walk = (path: string): void => {
    const at = join(folder, path);
    const stats = lstatSync(at, { bigint: true });
    const common = `${(stats.mode & 0o7777n).toString(8)} ${stats.uid}:${stats.gid}`;
    if (stats.isDirectory()) {
      if (path !== '') tree.set(path, `folder ${common}`);
      for (const name of readdirSync(at).toSorted()) walk(join(path, name));
    } else if (stats.isSymbolicLink()) tree.set(path, `link to ${readlinkSync(at)}`);
    else if (stats.isFile()) {
      const first = firstNames.get(stats.ino) ?? path;
      firstNames.set(stats.ino, first);
      const sameAs = first === path ? '' : `, same as ${first}`;
      const content = readFileSync(at);
      const hashed = anyOrder
        ? content
            .toString('latin1')
            .split(/[\n\0]/)
            .toSorted()
            .join('\n')
        : content;
      tree.set(path, `file ${common} ${createHash('sha256').update(hashed).digest('hex')}${sameAs}`);
    } else tree.set(path, `special ${common}`);
  };
  walk('');
  return tree;
}
