import { closeSync, constants, copyFileSync, fstatSync, openSync, readlinkSync, symlinkSync } from 'node:fs';
import { copyFile as copyInBackground } from 'node:fs/promises';
import { codeOf } from '@countersign/changes';

export interface Entry {
  readonly from: Buffer;
  readonly to: Buffer;
  /** Relative to the working folder. */
  readonly path: Buffer;
}

/** Called before each file and folder is opened, which a program with access to the folder could race. */
export type BeforeOpen = (path: string) => void;

/** What became of an entry. `unreadable` also stands for pipes, sockets and devices. */
export type Copied = 'copied' | 'unreadable' | 'gone';

export function copyLink({ from, to }: Entry): Copied {
  try {
    symlinkSync(readlinkSync(from, { encoding: 'buffer' }), to);
    return 'copied';
  } catch (error) {
    // It was removed, or replaced by something else.
    if (['ENOENT', 'EINVAL'].includes(String(codeOf(error)))) return 'gone';
    throw error;
  }
}

const CLONE = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE;

export function copyFile(entry: Entry, beforeOpen: BeforeOpen | undefined): Copied {
  const source = openFile(entry, beforeOpen);
  if (typeof source === 'string') return source;
  try {
    copyFileSync(pathOf(source), entry.to, CLONE);
    return 'copied';
  } finally {
    closeSync(source);
  }
}

/** Like `copyFile`, without blocking the event loop. */
export async function copyLargeFile(entry: Entry, beforeOpen: BeforeOpen | undefined): Promise<Copied> {
  const source = openFile(entry, beforeOpen);
  if (typeof source === 'string') return source;
  try {
    await copyInBackground(pathOf(source), entry.to, CLONE);
    return 'copied';
  } finally {
    closeSync(source);
  }
}

/** Leads to the open file, whatever is at its path now. */
function pathOf(source: number): string {
  return `/proc/self/fd/${source}`;
}

/** A pipe in the place of the file must not block us. */
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

function openFile({ from, path }: Entry, beforeOpen: BeforeOpen | undefined): number | 'unreadable' | 'gone' {
  beforeOpen?.(path.toString());
  const source = tryOpen(() => openSync(from, READ));
  if (typeof source === 'string' || fstatSync(source).isFile()) return source;
  closeSync(source);
  return 'unreadable';
}

/** If a symlink was put in the place of a file or folder, opening it fails with ELOOP or ENOTDIR. */
const UNREADABLE = ['EACCES', 'EPERM', 'ELOOP', 'ENOTDIR', 'ENXIO'];

export function tryOpen(open: () => number): number | 'unreadable' | 'gone' {
  try {
    return open();
  } catch (error) {
    const code = String(codeOf(error));
    if (code === 'ENOENT') return 'gone';
    if (UNREADABLE.includes(code)) return 'unreadable';
    throw error;
  }
}

export function openFolder(path: Buffer): number {
  return openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
}
