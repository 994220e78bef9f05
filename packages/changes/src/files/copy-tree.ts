import { constants, type BigIntStats } from 'node:fs';
import { lstat, mkdir, open, readdir, readlink, symlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { openFolder } from './open-folder.js';

/** Called before each step that a program with access to either folder could race. */
type BeforeStep = (step: 'open' | 'open copy', path: string) => void | Promise<void>;

/**
 * Copies a file or folder to a new name on another disk, with modes and times. Symlinks stay as they are. Other programs may write to both places
 * meanwhile, so it reads and writes only through open folders, never through a symlink that replaced one, and never to an existing file. Returns
 * the inode of the copy.
 */
export async function copyTree(from: string, to: string, before: BeforeStep = () => undefined): Promise<bigint> {
  const found = await lstat(from, { bigint: true });
  if (found.isSymbolicLink()) {
    await symlink(await readlink(from), to);
    return (await lstat(to, { bigint: true })).ino;
  }
  if (found.isDirectory()) return await copyFolder(from, to, found, before);
  if (found.isFile()) return await copyFile(from, to, found, before);
  throw new Error(`${from} is neither a file, a folder nor a symlink`);
}

async function copyFolder(from: string, to: string, found: BigIntStats, before: BeforeStep): Promise<bigint> {
  await before('open', from);
  const source = await openFolder(from);
  try {
    refuseOther(from, found, await source.handle.stat({ bigint: true }));
    await mkdir(to, { mode: 0o700 });
    await before('open copy', to);
    const copy = await openFolder(to);
    try {
      // A folder that someone put in its place isn't ours, or isn't empty.
      const made = await copy.handle.stat({ bigint: true });
      const isOurs = made.uid === BigInt(process.geteuid?.() ?? -1) && (made.mode & 0o777n) === 0o700n;
      if (!isOurs || (await readdir(copy.at)).length > 0) throw replaced(to);
      for (const name of await readdir(source.at)) await copyTree(join(source.at, name), join(copy.at, name), before);
      await finish(copy.handle, found);
      return made.ino;
    } finally {
      await copy.handle.close();
    }
  } finally {
    await source.handle.close();
  }
}

/** A pipe in the place of the file must not block us. */
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const CHUNK = 1024 * 1024;
const ZEROS = Buffer.alloc(CHUNK);

async function copyFile(from: string, to: string, found: BigIntStats, before: BeforeStep): Promise<bigint> {
  await before('open', from);
  const source = await open(from, READ);
  try {
    refuseOther(from, found, await source.stat({ bigint: true }));
    await before('open copy', to);
    const copy = await open(to, CREATE, 0o600);
    try {
      const buffer = Buffer.allocUnsafe(Math.min(CHUNK, Number(found.size) + 1));
      const isSparse = found.blocks * 512n < found.size;
      let at = 0;
      for (;;) {
        const { bytesRead } = await source.read(buffer, 0, buffer.length, at);
        if (bytesRead === 0) break;
        // Of a sparse file, zeros stay a hole: written, they could fill the disk.
        const isHole = isSparse && ZEROS.compare(buffer, 0, bytesRead, 0, bytesRead) === 0;
        const end = isHole ? 0 : bytesRead;
        for (let done = 0; done < end;) done += (await copy.write(buffer, done, end - done, at + done)).bytesWritten;
        at += bytesRead;
      }
      if (isSparse) await copy.truncate(at);
      await finish(copy, found);
      return (await copy.stat({ bigint: true })).ino;
    } finally {
      await copy.close();
    }
  } finally {
    await source.close();
  }
}

async function finish(copy: FileHandle, { mode, atimeMs, mtimeMs }: BigIntStats): Promise<void> {
  await copy.chmod(Number(mode) & 0o7777);
  await copy.utimes(Number(atimeMs) / 1000, Number(mtimeMs) / 1000);
}

function refuseOther(path: string, found: BigIntStats, opened: BigIntStats): void {
  if (found.dev !== opened.dev || found.ino !== opened.ino) throw replaced(path);
}

function replaced(path: string): Error {
  return new Error(`${path} was replaced while it was copied`);
}
