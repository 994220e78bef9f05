import { readFileSync } from 'node:fs';
import { readdir, statfs } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '@countersign/core/ports';
import type { RunEnd } from '@countersign/protocol';
import { whatExceeds } from '../sandbox/draft/draft-limits.js';

export interface RunLimits {
  readonly ms: number;
  /** Of the draft, and of the home. */
  readonly bytes: number;
  readonly files: number;
  /** Of all processes and of the temporary folders, which are in memory. */
  readonly memoryBytes: number;
  readonly processes: number;
}

export const RUN_LIMITS: RunLimits = {
  ms: 8 * 3_600_000,
  bytes: 10 * 1024 ** 3,
  files: 500_000,
  memoryBytes: Math.floor(totalmem() * 0.75),
  processes: 4_096,
};

const LOOK_MS = 200;
/** Reading every folder of a large draft takes time: spend at most a tenth of a core on it. */
const REST_FACTOR = 10;
/** Stop while the rest of the machine can still write. */
const KEEP_FREE_BYTES = 512 * 1024 ** 2;
const PAGE_BYTES = 4_096;
/** In memory, and writable for the program. */
const IN_MEMORY = ['tmp', 'var/tmp', 'run', 'dev/shm'];

interface Watched {
  /** The first process inside. */
  readonly inner: number;
  /** Folders that the program fills. */
  readonly folders: readonly string[];
  readonly limits: RunLimits;
  /** Whether the kernel limits memory and processes. */
  readonly isLimited: boolean;
  readonly clock: Clock;
  /** Called once. */
  readonly exceeded: (why: RunEnd) => void;
}

/** Looks five times a second. Returns a function that stops it. */
export function watchRun({ inner, folders, limits, isLimited, clock, exceeded }: Watched): () => void {
  let isOver = false;
  const stops: (() => void)[] = [];
  const end = (why: RunEnd): void => {
    if (isOver) return;
    stop();
    exceeded(why);
  };
  const repeat = (look: () => Promise<RunEnd | undefined>, restFactor: number): void => {
    let cancel = (): void => undefined;
    const again = (ms: number): void => {
      cancel = clock.after(ms, () => {
        const began = clock.now();
        void look().then((why) => {
          if (why !== undefined) end(why);
          else if (!isOver) again(Math.max(LOOK_MS, restFactor * (clock.now() - began)));
        });
      });
    };
    again(LOOK_MS);
    stops.push(() => cancel());
  };
  const stop = (): void => {
    isOver = true;
    for (const one of stops) one();
  };
  stops.push(clock.after(limits.ms, () => end('time')));
  if (!isLimited) repeat(async () => await overUse(inner, limits), 1);
  repeat(async () => await overSize(folders, limits), REST_FACTOR);
  repeat(async () => await diskIsFull(folders), 1);
  return stop;
}

async function overSize(folders: readonly string[], limits: RunLimits): Promise<RunEnd | undefined> {
  for (const folder of folders) {
    const excess = await whatExceeds(folder, limits);
    if (excess !== undefined) return excess;
  }
  return undefined;
}

async function diskIsFull(folders: readonly string[]): Promise<RunEnd | undefined> {
  for (const folder of folders) {
    const { bavail, bsize } = await statfs(folder).catch(() => ({ bavail: Infinity, bsize: 1 }));
    if (bavail * bsize < KEEP_FREE_BYTES) return 'bytes';
  }
  return undefined;
}

async function overUse(inner: number, limits: RunLimits): Promise<RunEnd | undefined> {
  const root = `/proc/${inner}/root`;
  const names = (await readdir(`${root}/proc`).catch(() => [])).filter((name) => /^\d+$/.test(name));
  if (names.length > limits.processes) return 'processes';
  const filled = await Promise.all(IN_MEMORY.map((name) => usedIn(join(root, name))));
  const used = filled.reduce((sum, bytes) => sum + bytes, 0);
  return names.reduce((sum, name) => sum + residentOf(`${root}/proc/${name}/statm`), used) > limits.memoryBytes
    ? 'memory'
    : undefined;
}

async function usedIn(folder: string): Promise<number> {
  const { blocks, bfree, bsize } = await statfs(folder).catch(() => ({ blocks: 0, bfree: 0, bsize: 0 }));
  return (blocks - bfree) * bsize;
}

/** What a process shares with others isn't counted, because it would be counted more than once. */
function residentOf(file: string): number {
  try {
    const [, resident = 0, shared = 0] = readFileSync(file, 'utf8').split(' ').map(Number);
    return (resident - shared) * PAGE_BYTES;
  } catch {
    return 0;
  }
}
