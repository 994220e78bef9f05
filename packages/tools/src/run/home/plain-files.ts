import { constants } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, readdir, readFile, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** No session and no login is larger; a run must not fill the disk through its transcripts. */
const MAX_BYTES = 256 * 1024 ** 2;
const MAX_FILES = 5_000;
const MAX_LOGIN_BYTES = 1024 ** 2;

interface PlainFile {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
}

/**
 * The text of a file that a program may have put there. Undefined if it, or a folder on its way, is anything but a plain file or folder: a link
 * could lead to a file that the program must not read.
 */
export async function readPlain(base: string, path: string): Promise<string | undefined> {
  let at = base;
  for (const name of ['', ...path.split('/').slice(0, -1)]) {
    at = join(at, name);
    if ((await lstat(at).catch(() => undefined))?.isDirectory() !== true) return undefined;
  }
  const stats = await lstat(join(base, path)).catch(() => undefined);
  if (stats?.isFile() !== true || stats.size > MAX_LOGIN_BYTES) return undefined;
  return await readFile(join(base, path), 'utf8').catch(() => undefined);
}

/**
 * Copies the files below a folder that match, newest first up to a limit; never links, and never through them. Files that are the same already
 * are not copied again. Must be called while nothing writes there.
 */
export async function copyPlainFiles(
  from: string,
  to: string,
  { folder, files }: { folder: string; files: RegExp },
): Promise<void> {
  let bytes = 0;
  let count = 0;
  const found = await listPlain(from, folder.split('/'), files);
  for (const { path, size, mtimeMs } of found.toSorted((a, b) => b.mtimeMs - a.mtimeMs)) {
    bytes += size;
    count += 1;
    if (bytes > MAX_BYTES || count > MAX_FILES) return;
    const target = join(to, path);
    const there = await lstat(target).catch(() => undefined);
    if (there !== undefined && there.size === size && Math.abs(there.mtimeMs - mtimeMs) < 1) continue;
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await copyFile(join(from, path), target, constants.COPYFILE_FICLONE);
    await chmod(target, 0o600);
    await utimes(target, mtimeMs / 1000, mtimeMs / 1000);
  }
}

async function listPlain(from: string, folder: readonly string[], files: RegExp): Promise<PlainFile[]> {
  let at = from;
  for (const name of folder) {
    at = join(at, name);
    if ((await lstat(at).catch(() => undefined))?.isDirectory() !== true) return [];
  }
  const found: PlainFile[] = [];
  const waiting = [''];
  for (let below = waiting.pop(); below !== undefined; below = waiting.pop()) {
    for (const entry of await readdir(join(at, below), { withFileTypes: true })) {
      const path = join(below, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      if (!entry.isFile() || !files.test(path)) continue;
      const { size, mtimeMs } = await lstat(join(at, path));
      found.push({ path: join(...folder, path), size, mtimeMs });
    }
  }
  return found;
}
