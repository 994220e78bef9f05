import { constants, type BigIntStats } from 'node:fs';
import { lstat, mkdir, open, realpath, rename, rm, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import type { ToolContext } from '@countersign/core/ports';
import { checkRoot, linked, nameOf, outside, refuseOwnFile, wordsFor } from './find-real-path.js';
import { hashContent, isInside, linkOrRename, NEW_FILE_MODE, versionOf, type OldFile } from '@countersign/changes';
import { openFile, openFolder } from './open-inside.js';
import { absolutePath } from './path-argument.js';
import { refuseWhatRuns } from './refuse-what-runs.js';

/** A file to be replaced is read completely, for its fingerprint and diff. */
const MAX_BYTES = 16 * 1024 * 1024;

/** The current state of the file that a write would replace. */
export interface Target {
  /** The real path; it contains no symlinks. */
  readonly path: string;
  readonly name: string;
  /** Undefined if the file doesn't exist yet. */
  readonly old: OldFile | undefined;
}

/** What an approval covers besides the arguments (CALL7): the real path of the target and its current content. */
export function fingerprintOf({ path, old }: Target): string {
  return JSON.stringify([path, old === undefined ? 'absent' : hashContent(old.bytes)]);
}

/** Like `findTarget`. Also rejects if the file would run by itself. */
export async function inspectTarget(
  workingDirectory: string,
  written: string,
  mayCreate?: ToolContext['mayCreate'],
): Promise<Target> {
  return await findTarget(workingDirectory, written, (path) => refuseWhatRuns(workingDirectory, path, mayCreate));
}

/** Rejects if writing is not allowed: outside the folder, through a symlink, to a folder or a device. Changes nothing. */
export async function findTarget(
  workingDirectory: string,
  written: string,
  check?: (path: string) => Promise<void>,
): Promise<Target> {
  const path = absolutePath({ workingDirectory }, written);
  const name = nameOf(workingDirectory, path);
  if (!isInside(workingDirectory, path) || /[\\/]$/.test(written)) {
    throw isInside(workingDirectory, path) ? new Error(`"${written}" names a folder`) : outside(written);
  }
  refuseOwnFile(path, name);
  if (path === workingDirectory) throw new Error(`"${written}" is the working folder itself`);
  await checkRoot(workingDirectory);
  await checkParents(workingDirectory, dirname(path));
  await check?.(path);
  const stats = await lstat(path).catch((error: unknown) => {
    if (error instanceof Error && Reflect.get(error, 'code') === 'ENOENT') return undefined;
    throw new Error(wordsFor(error, name), { cause: error });
  });
  if (stats === undefined) return { path, name, old: undefined };
  if (stats.isSymbolicLink()) {
    throw linked(workingDirectory, name, await realpath(path).catch(() => sep));
  }
  if (stats.isDirectory()) throw new Error(`"${name}" is a folder`);
  return { path, name, old: await readOld(workingDirectory, path) };
}

async function readOld(workingDirectory: string, path: string): Promise<OldFile | undefined> {
  const { handle, stats, name } = await openFile(workingDirectory, path);
  try {
    if (stats.size > MAX_BYTES) throw new Error(`"${name}" has ${stats.size} bytes, which is too large for this tool`);
    const bytes = Buffer.alloc(stats.size);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    const { mode, uid, gid, atimeMs, mtimeMs } = stats;
    const version = versionOf(await handle.stat({ bigint: true }));
    return { bytes: bytes.subarray(0, bytesRead), mode: mode & 0o777, uid, gid, atimeMs, mtimeMs, version };
  } finally {
    await handle.close();
  }
}

/** Checks that every existing parent is a folder and not a symlink. */
async function checkParents(workingDirectory: string, folder: string): Promise<void> {
  for (const path of foldersTo(workingDirectory, folder)) {
    const name = nameOf(workingDirectory, path);
    const stats = await lstat(path).catch((error: unknown) => {
      if (error instanceof Error && Reflect.get(error, 'code') === 'ENOENT') return undefined;
      throw new Error(wordsFor(error, name), { cause: error });
    });
    if (stats === undefined) return;
    if (stats.isSymbolicLink()) throw linked(workingDirectory, name, await realpath(path).catch(() => sep));
    if (!stats.isDirectory()) throw new Error(`"${name}" is not a folder`);
  }
}

/** The folders from the working folder, which is left out, down to this one. */
function foldersTo(workingDirectory: string, folder: string): string[] {
  const segments = relative(workingDirectory, folder)
    .split(sep)
    .filter((segment) => segment !== '');
  return segments.map((_, index) => join(workingDirectory, ...segments.slice(0, index + 1)));
}

/**
 * Replaces the content atomically: readers see the old or the new content, even after a crash. Works through an open
 * folder, so swapping the folder for a symlink has no effect. Returns what it wrote, by path in the
 * working folder: the file, and the folders that it created.
 */
export async function replaceFile(
  workingDirectory: string,
  { path, old }: Target,
  content: string,
): Promise<ReadonlyMap<string, BigIntStats>> {
  const written = new Map<string, BigIntStats>();
  for (const folder of foldersTo(workingDirectory, dirname(path))) {
    const made = await makeFolder(workingDirectory, folder);
    if (made !== undefined) written.set(relative(workingDirectory, folder), made);
  }
  const folder = await openFolder(workingDirectory, dirname(path));
  const temporary = join(folder.at, `.countersign-${crypto.randomUUID()}`);
  try {
    written.set(relative(workingDirectory, path), await writeNew(temporary, content, old));
    await putInPlace(temporary, join(folder.at, basename(path)), old);
    return written;
  } catch (error) {
    throw new Error(wordsFor(error, nameOf(workingDirectory, path)), { cause: error });
  } finally {
    await rm(temporary, { force: true }).catch(() => undefined);
    await folder.handle.close();
  }
}

/** Checks again at the last moment, so that a concurrent write is not lost. */
async function putInPlace(temporary: string, target: string, old: OldFile | undefined): Promise<void> {
  const there = await lstat(target, { bigint: true }).catch(() => undefined);
  if ((there === undefined ? undefined : versionOf(there)) !== old?.version)
    throw new Error('someone else changed it at the same time, so nothing was written');
  // Unlike rename, link never overwrites a file that was created in the meantime.
  await (old === undefined ? linkOrRename(temporary, target) : rename(temporary, target));
}

/** Returns undefined if it exists already. */
async function makeFolder(workingDirectory: string, path: string): Promise<BigIntStats | undefined> {
  const parent = await openFolder(workingDirectory, dirname(path));
  try {
    await mkdir(join(parent.at, basename(path)));
    return await lstat(join(parent.at, basename(path)), { bigint: true });
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, 'code') === 'EEXIST') return undefined;
    throw new Error(wordsFor(error, nameOf(workingDirectory, path)), { cause: error });
  } finally {
    await parent.handle.close();
  }
}

async function writeNew(path: string, content: string, old: OldFile | undefined): Promise<BigIntStats> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const handle: FileHandle = await open(path, flags, old?.mode ?? NEW_FILE_MODE);
  try {
    if (old !== undefined) {
      // Only root can change the owner; for other users, the file becomes their own, as with any editor.
      await handle.chown(old.uid, old.gid).catch(() => undefined);
      await handle.chmod(old.mode);
    }
    await handle.writeFile(content);
    await handle.sync();
    return await handle.stat({ bigint: true });
  } finally {
    await handle.close();
  }
}
