import { constants, type BigIntStats } from 'node:fs';
import { open, readlink, type FileHandle } from 'node:fs/promises';
import { Buffer } from 'node:buffer';

const CHUNK = 1024 * 1024;

/** A file or symlink, and its state. */
interface Found {
  readonly path: string;
  readonly stats: BigIntStats;
}

/** Whether two files have the same bytes and permissions, or two links the same target. */
export async function isSame(one: Found, other: Found): Promise<boolean> {
  if (one.stats.isSymbolicLink() && other.stats.isSymbolicLink())
    return (await readlink(one.path, 'buffer')).equals(await readlink(other.path, 'buffer'));
  const isFile = one.stats.isFile() && other.stats.isFile();
  if (!isFile || one.stats.size !== other.stats.size || one.stats.mode !== other.stats.mode) return false;
  const handles: FileHandle[] = [];
  try {
    for (const { path } of [one, other])
      handles.push(await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK));
    const [a, b] = handles;
    return a !== undefined && b !== undefined && (await haveSameBytes(a, b, Number(one.stats.size)));
  } catch {
    // It was changed or removed in the meantime, or can't be read.
    return false;
  } finally {
    for (const handle of handles) await handle.close();
  }
}

async function haveSameBytes(a: FileHandle, b: FileHandle, size: number): Promise<boolean> {
  // Most files are small, and there may be thousands. The extra byte shows the end.
  const length = Math.min(CHUNK, size + 1);
  const [left, right] = [Buffer.allocUnsafe(length), Buffer.allocUnsafe(length)];
  for (let at = 0; ; at += length) {
    const [{ bytesRead: read }, { bytesRead: other }] = await Promise.all([
      a.read(left, 0, length, at),
      b.read(right, 0, length, at),
    ]);
    if (read !== other || !left.subarray(0, read).equals(right.subarray(0, other))) return false;
    if (read < length) return true;
  }
}
