import { constants } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, readdir, readFile, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { removeTree } from '@countersign/changes';

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
    const there = await lstat(join(to, path)).catch(() => undefined);
    if (there?.isFile() === true && there.size === size && Math.abs(there.mtimeMs - mtimeMs) < 1) continue;
    // Others are copied even if the program has made one unreadable.
    await makeRoom(to, path)
      .then(() => copyPlain(join(from, path), join(to, path), mtimeMs / 1000))
      .catch(() => undefined);
  }
}

async function copyPlain(from: string, target: string, seconds: number): Promise<void> {
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  await copyFile(from, target, constants.COPYFILE_FICLONE);
  await chmod(target, 0o600);
  await utimes(target, seconds, seconds);
}

/** A program can replace files by folders, and folders by files: the newest is kept. */
async function makeRoom(base: string, path: string): Promise<void> {
  const names = path.split('/');
  for (const at of names.keys()) {
    const place = join(base, ...names.slice(0, at + 1));
    const there = await lstat(place).catch(() => undefined);
    if (there === undefined) return;
    if (there.isDirectory() === at < names.length - 1) continue;
    await removeTree(place);
    return;
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
    for (const entry of await readdir(join(at, below), { withFileTypes: true }).catch(() => [])) {
      const path = join(below, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      if (!entry.isFile() || !files.test(path)) continue;
      const stats = await lstat(join(at, path)).catch(() => undefined);
      if (stats === undefined) continue;
      const { size, mtimeMs } = stats;
      found.push({ path: join(...folder, path), size, mtimeMs });
    }
  }
  return found;
}
