import { constants, type Stats } from 'node:fs';
import { open, readlink, realpath, stat, type FileHandle } from 'node:fs/promises';
import { findRealPath, linked, wordsFor, type FoundPath } from './find-real-path.js';

export interface OpenedFile extends FoundPath {
  readonly handle: FileHandle;
  readonly stats: Stats;
}

/** Opens a regular file for reading. What was opened is checked, not what was found before: a link could have come in between. */
export async function openFile(workingDirectory: string, written: string): Promise<OpenedFile> {
  const opened = await openChecked(workingDirectory, await findRealPath(workingDirectory, written), 0);
  const { stats, name } = opened;
  if (stats.isFile()) return opened;
  await opened.handle.close();
  if (stats.isDirectory()) throw new Error(`"${name}" is a folder; list_files shows what is in it`);
  throw new Error(`"${name}" is no file but a device, pipe or socket`);
}

/** Opens a folder. `at` names it in a way that no rename or link can lead elsewhere while it is open, where the system has one. */
export async function openFolder(workingDirectory: string, written: string): Promise<OpenedFile & { at: string }> {
  const found = await findRealPath(workingDirectory, written);
  const opened = await openChecked(workingDirectory, found, constants.O_DIRECTORY);
  return { ...opened, at: (await descriptorPath(opened.handle)) ?? opened.path };
}

async function openChecked(workingDirectory: string, found: FoundPath, flags: number): Promise<OpenedFile> {
  const { path, name } = found;
  let handle: FileHandle;
  try {
    // Not blocking: a pipe that nobody writes to would hold us up for ever.
    handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | flags);
  } catch (error) {
    throw new Error(openingWords(error, name), { cause: error });
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

function openingWords(error: unknown, name: string): string {
  const code = error instanceof Error ? (Reflect.get(error, 'code') as unknown) : undefined;
  // How a socket answers, and a device without a driver.
  if (code === 'ENXIO' || code === 'ENODEV') return `"${name}" is no file but a device, pipe or socket`;
  return wordsFor(error, name);
}

/** Where the open file really lies. */
async function realPathOf(handle: FileHandle, path: string, stats: Stats): Promise<string> {
  const pinned = await descriptorPath(handle);
  if (pinned !== undefined) return await readlink(pinned);
  const real = await realpath(path);
  const now = await stat(real);
  if (now.ino !== stats.ino || now.dev !== stats.dev) throw new Error('the file was replaced while it was opened');
  return real;
}

async function descriptorPath(handle: FileHandle): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  const path = `/proc/self/fd/${handle.fd}`;
  const there = await readlink(path).catch(() => undefined);
  return there === undefined ? undefined : path;
}
