import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, lstat, open, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../files/move.js';
import { openFolder, type OpenFolder } from '../files/open-folder.js';
import { versionOf } from '../plan/plan.js';

const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** SHA-256 of a file in a draft. */
export async function hashDrafted(path: string, signal?: AbortSignal): Promise<string> {
  return await withDrafted(path, (handle) => hash(handle, signal));
}

/** The content of a file in a draft, or its first bytes. */
export async function readDrafted(path: string, most?: number): Promise<Buffer> {
  return await withDrafted(path, async (handle) => {
    if (most === undefined) return await handle.readFile();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(most), 0, most, 0);
    return buffer.subarray(0, bytesRead);
  });
}

/** SHA-256 of a file in the working folder, or undefined if it isn't that version or can't be read. */
export async function hashOld(workingDirectory: string, path: string, was: string): Promise<string | undefined> {
  return await withOld(workingDirectory, path, was, (handle) => hash(handle));
}

/** The content of a file in the working folder, or undefined if it isn't that version or can't be read. */
export async function readOld(workingDirectory: string, path: string, was: string): Promise<Buffer | undefined> {
  return await withOld(workingDirectory, path, was, (handle) => handle.readFile());
}

const PIECE_BYTES = 64 * 1024;

async function hash(handle: FileHandle, signal?: AbortSignal): Promise<string> {
  const sum = createHash('sha256');
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  // A stream would take several times as long for a small file.
  for (;;) {
    const { bytesRead } = await handle.read(piece, 0, piece.length);
    signal?.throwIfAborted();
    if (bytesRead === 0) return sum.digest('hex');
    sum.update(piece.subarray(0, bytesRead));
  }
}

/** The command may have made its own file unreadable. The mode is the same afterwards. */
async function withDrafted<T>(path: string, act: (handle: FileHandle) => Promise<T>): Promise<T> {
  try {
    return await withFile(path, act);
  } catch (error) {
    if (codeOf(error) !== 'EACCES') throw error;
  }
  const { mode } = await lstat(path);
  await chmod(path, (mode & 0o7777) | 0o400);
  try {
    return await withFile(path, act);
  } finally {
    await chmod(path, mode & 0o7777);
  }
}

async function withFile<T>(path: string, act: (handle: FileHandle) => Promise<T>): Promise<T> {
  const handle = await open(path, FLAGS);
  try {
    return await act(handle);
  } finally {
    await handle.close();
  }
}

/** Follows no symlink on the way: other programs write to the working folder. */
async function withOld<T>(
  workingDirectory: string,
  path: string,
  was: string,
  act: (handle: FileHandle) => Promise<T>,
): Promise<T | undefined> {
  let folder: OpenFolder | undefined;
  try {
    folder = await openFolder(workingDirectory);
    for (const name of dirname(path)
      .split('/')
      .filter((part) => part !== '.')) {
      const next = await openFolder(join(folder.at, name));
      await folder.handle.close();
      folder = next;
    }
    return await withFile(join(folder.at, basename(path)), async (handle) => {
      const isSame = async (): Promise<boolean> => versionOf(await handle.stat({ bigint: true })) === was;
      const found = (await isSame()) ? await act(handle) : undefined;
      return (await isSame()) ? found : undefined;
    });
  } catch {
    return undefined;
  } finally {
    await folder?.handle.close();
  }
}
