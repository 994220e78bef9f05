import { constants, type Stats } from 'node:fs';
import { open, readlink, realpath, stat, type FileHandle } from 'node:fs/promises';
import { findRealPath, linked, wordsFor, type FoundPath } from './find-real-path.js';

export interface OpenedFile extends FoundPath {
  readonly handle: FileHandle;
  readonly stats: Stats;
}

/** Opens a regular file for reading. Checks the opened file, not the path: a symlink could replace it in between. */
export async function openFile(workingDirectory: string, written: string): Promise<OpenedFile> {
  const opened = await openChecked(workingDirectory, await findRealPath(workingDirectory, written), 0);
  const { stats, name } = opened;
  if (stats.isFile()) return opened;
  await opened.handle.close();
  if (stats.isDirectory()) throw new Error(`"${name}" is a folder; list_files shows what is in it`);
  throw new Error(`"${name}" is not a regular file but a device, pipe or socket`);
}

/** Opens a folder. Where the OS supports it, `at` is a path through the descriptor, so that no rename or symlink can redirect it. */
export async function openFolder(workingDirectory: string, written: string): Promise<OpenedFile & { at: string }> {
  const found = await findRealPath(workingDirectory, written);
  const opened = await openChecked(workingDirectory, found, constants.O_DIRECTORY);
  return { ...opened, at: (await descriptorPath(opened.handle)) ?? opened.path };
}

async function openChecked(workingDirectory: string, found: FoundPath, flags: number): Promise<OpenedFile> {
  const { path, name } = found;
  let handle: FileHandle;
  try {
    // Non-blocking: opening a pipe without a writer would hang forever.
    handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | flags);
  } catch (error) {
    throw new Error(openError(error, name), { cause: error });
  }
  try {
    const stats = await handle.stat();
    const real = await realPathOf(handle, path, stats);
    if (real !== path) throw linked(workingDirectory, name, real);
    return { ...found, handle, stats };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function openError(error: unknown, name: string): string {
  const code = error instanceof Error ? (Reflect.get(error, 'code') as unknown) : undefined;
  // These are the error codes for sockets and for devices without a driver.
  if (code === 'ENXIO' || code === 'ENODEV') return `"${name}" is not a regular file but a device, pipe or socket`;
  return wordsFor(error, name);
}

async function realPathOf(handle: FileHandle, path: string, stats: Stats): Promise<string> {
  const pinned = await descriptorPath(handle);
  if (pinned !== undefined) return await readlink(pinned);
  const real = await realpath(path);
  const now = await stat(real);
  if (now.ino !== stats.ino || now.dev !== stats.dev)
    throw new Error('the file was replaced while it was being opened');
  return real;
}

async function descriptorPath(handle: FileHandle): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  const path = `/proc/self/fd/${handle.fd}`;
  const there = await readlink(path).catch(() => undefined);
  return there === undefined ? undefined : path;
}
