import { readdir, readFile } from 'node:fs/promises';
import type { Clock } from '@countersign/core/ports';

/** How much a command that nobody has approved may use. The kernel limits neither the total memory of several processes nor the processes of root. */
export interface UsageLimits {
  readonly memoryBytes: number;
  readonly processes: number;
}

const LOOK_MS = 200;
const PAGE_BYTES = 4096;

/** Calls `exceeded` if the processes in a sandbox use too much. `pid` is its first process. Returns a function that stops watching. */
export function watchUsage(pid: number, limits: UsageLimits, clock: Clock, exceeded: () => void): () => void {
  let isOver = false;
  let cancel = clock.after(LOOK_MS, () => void look());
  async function look(): Promise<void> {
    const { memoryBytes, processes } = await usageIn(`/proc/${pid}/root/proc`);
    if (isOver) return;
    if (memoryBytes > limits.memoryBytes || processes > limits.processes) exceeded();
    else cancel = clock.after(LOOK_MS, () => void look());
  }
  return () => {
    isOver = true;
    cancel();
  };
}

/** The sandbox has its own `/proc`, which lists exactly its processes. */
async function usageIn(proc: string): Promise<UsageLimits> {
  const names = (await readdir(proc).catch(() => [])).filter((name) => /^\d+$/.test(name));
  let memoryBytes = 0;
  for (const name of names) {
    const [, resident = 0, shared = 0] = (await readFile(`${proc}/${name}/statm`, 'utf8').catch(() => ''))
      .split(' ')
      .map(Number);
    memoryBytes += (resident - shared) * PAGE_BYTES;
  }
  return { memoryBytes, processes: names.length };
}
