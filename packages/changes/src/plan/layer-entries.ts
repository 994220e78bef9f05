import { linkSync, lstatSync, writeFileSync, type BigIntStats, type Dirent } from 'node:fs';
import { chmod, lstat, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** `removal`: stands for a path that the command removed. `other`: a pipe, a socket or a device. */
type EntryKind = 'file' | 'folder' | 'link' | 'removal' | 'other';

export interface LayerEntry {
  /** May not be valid UTF-8. */
  readonly name: Buffer;
  readonly kind: EntryKind;
}

/** Reads the entries of one draft. */
export interface LayerReader {
  /** Makes the folder readable first: the command may have made its own folders unreadable. */
  read(folder: string): Promise<LayerEntry[]>;
  kindOf(stats: BigIntStats): EntryKind;
}

/** Next to a draft that was made from a copy. Removed paths in the draft are hard links to it, which no command can create. */
const REMOVED = 'removed';

/** Creates the marker for removed paths. Returns a function that places it. */
export function makeRemovalMarker(root: string): (path: Buffer) => void {
  const marker = join(root, REMOVED);
  writeFileSync(marker, '', { mode: 0o600, flag: 'wx' });
  return (path) => linkSync(marker, path);
}

export async function layerReader(upper: string): Promise<LayerReader> {
  const marker = await lstat(join(dirname(upper), REMOVED), { bigint: true }).catch(() => undefined);
  const kindOf = (stats: BigIntStats): EntryKind => {
    if (stats.isDirectory()) return 'folder';
    if (stats.isSymbolicLink()) return 'link';
    // On a copy, a command could create the kernel's marker itself.
    const isRemoval =
      marker === undefined
        ? stats.isCharacterDevice() && stats.rdev === 0n
        : stats.ino === marker.ino && stats.dev === marker.dev;
    if (isRemoval) return 'removal';
    return stats.isFile() ? 'file' : 'other';
  };
  const kindAt = (folder: string, entry: Dirent<Buffer>): EntryKind => {
    if (entry.isDirectory()) return 'folder';
    if (entry.isSymbolicLink()) return 'link';
    if (entry.isFile() && marker === undefined) return 'file';
    return kindOf(lstatSync(Buffer.concat([Buffer.from(`${folder}/`), entry.name]), { bigint: true }));
  };
  return {
    async read(folder) {
      const { mode } = await lstat(folder);
      if ((mode & 0o700) !== 0o700) await chmod(folder, (mode & 0o7777) | 0o700);
      const entries = await readdir(folder, { withFileTypes: true, encoding: 'buffer' });
      return entries.map((entry) => ({ name: entry.name, kind: kindAt(folder, entry) }));
    },
    kindOf,
  };
}
