import { lstatSync, type Dirent } from 'node:fs';
import { chmod, lstat, readdir } from 'node:fs/promises';
import type { Clock } from '@countersign/core/ports';
import { LONGEST_PATH, inSlices } from '@countersign/changes';

/** The limits on what a command may write to its draft (CHANGE3). */
export interface DraftLimits {
  /** Counts the apparent size: a sparse file takes all of it when copied to another disk. */
  readonly bytes: number;
  /** Counts files, folders, symlinks and removed names. */
  readonly files: number;
}

export const DRAFT_LIMITS: DraftLimits = { bytes: 2 * 1024 ** 3, files: 200_000 };

/**
 * Nobody has approved a rehearsed command yet. Every file that it writes is hashed while the folder is locked, and waits on the disk until someone decides.
 */
export const REHEARSAL_LIMITS: DraftLimits = { bytes: 256 * 1024 ** 2, files: 20_000 };

/** Such as "256 MiB in 20,000 files". */
export function limitsText({ bytes, files }: DraftLimits): string {
  return `${Math.floor(bytes / 1024 ** 2).toLocaleString('en')} MiB in ${files.toLocaleString('en')} files`;
}

/** Thrown if the command exceeded its draft's limits. Nothing is applied. */
export class DraftTooLarge extends Error {
  override readonly name = 'DraftTooLarge';

  constructor(limits: DraftLimits) {
    super(
      `none of the command's changes were applied: a command may change at most ${limitsText(limits)}. Write less, or use several commands`,
    );
  }
}

/**
 * Rejects with `DraftTooLarge`. Must be called after all writers are dead: it makes folders readable again that the command made unreadable.
 */
export async function checkDraftSize(upper: string, limits: DraftLimits): Promise<void> {
  if ((await findExcess(upper, limits, readClosed)) !== undefined) throw new DraftTooLarge(limits);
}

const LOOK_MS = 1_000;
/** Scanning a large draft takes time; spend at most a tenth of a core on it. */
const REST_FACTOR = 10;

/** Scans a draft repeatedly while it is written. Returns a function that stops it. */
export function watchDraft(upper: string, limits: DraftLimits, clock: Clock, exceeded: () => void): () => void {
  let isOver = false;
  let cancel = clock.after(LOOK_MS, () => void look());
  async function look(): Promise<void> {
    const began = clock.now();
    const tooLarge = await exceeds(upper, limits);
    if (isOver) return;
    if (tooLarge) exceeded();
    else cancel = clock.after(Math.max(LOOK_MS, REST_FACTOR * (clock.now() - began)), () => void look());
  }
  return () => {
    isOver = true;
    cancel();
  };
}

/** Whether a folder that other programs may be changing exceeds the limits. */
export async function exceeds(folder: string, limits: DraftLimits): Promise<boolean> {
  return (await whatExceeds(folder, limits)) !== undefined;
}

/** Which limit a folder exceeds that other programs may be changing, if any. */
export function whatExceeds(folder: string, limits: DraftLimits): Promise<keyof DraftLimits | undefined> {
  return findExcess(folder, limits, readMoving);
}

type ReadFolder = (folder: Buffer) => Promise<Dirent<Buffer>[]>;

const BUFFERS = { withFileTypes: true, encoding: 'buffer' } as const;
const SLASH = Buffer.from('/');

const readClosed: ReadFolder = async (folder) => {
  const { mode } = await lstat(folder);
  if ((mode & 0o700) !== 0o700) await chmod(folder, (mode & 0o7777) | 0o700);
  return await readdir(folder, BUFFERS);
};

/** Skips entries that the command has just removed or made unreadable; the final check counts everything. */
const readMoving: ReadFolder = (folder) => readdir(folder, BUFFERS).catch(() => []);

async function findExcess(
  upper: string,
  limits: DraftLimits,
  read: ReadFolder,
): Promise<keyof DraftLimits | undefined> {
  let bytes = 0;
  let files = 0;
  const top = Buffer.from(upper);
  const folders = [top];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    // Deeper entries are never applied and can't be opened by path.
    if (folder.length - top.length >= LONGEST_PATH) continue;
    const entries = await read(folder);
    files += entries.length;
    if (files > limits.files) return 'files';
    await inSlices(entries, (entry) => {
      const path = Buffer.concat([folder, SLASH, entry.name]);
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile()) bytes += sizeOf(path);
    });
    if (bytes > limits.bytes) return 'bytes';
  }
  return undefined;
}

function sizeOf(path: Buffer): number {
  return lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
