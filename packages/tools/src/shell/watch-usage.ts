import { readdir, readFile } from 'node:fs/promises';
import type { Clock } from '@countersign/core/ports';

/** How much a command that nobody has approved may use. The kernel limits neither the total memory or CPU time of several processes nor the processes of root. */
export interface UsageLimits {
  readonly memoryBytes: number;
  readonly processes: number;
  /** The CPU time of all processes, including those that have ended. */
  readonly cpuMs: number;
}

const LOOK_MS = 200;
const PAGE_BYTES = 4096;

/** Calls `exceeded` if the processes in a sandbox use too much. `pid` is its first process. Returns a function that stops watching. */
export function watchUsage(pid: number, limits: UsageLimits, clock: Clock, exceeded: () => void): () => void {
  let isOver = false;
  let cancel = clock.after(LOOK_MS, () => void look());
  async function look(): Promise<void> {
    const { memoryBytes, processes, cpuMs } = await usageIn(`/proc/${pid}/root/proc`);
    if (isOver) return;
    if (memoryBytes > limits.memoryBytes || processes > limits.processes || cpuMs > limits.cpuMs) exceeded();
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
  let cpuMs = 0;
  for (const name of names) {
    const [, resident = 0, shared = 0] = (await readFile(`${proc}/${name}/statm`, 'utf8').catch(() => ''))
      .split(' ')
      .map(Number);
    memoryBytes += (resident - shared) * PAGE_BYTES;
    cpuMs += cpuMsOf(await readFile(`${proc}/${name}/stat`, 'utf8').catch(() => ''));
  }
  return { memoryBytes, processes: names.length, cpuMs };
}

/** The kernel reports CPU times in hundredths of a second. */
const TICK_MS = 10;

/** The time of a process and of its children that have ended. The name of the program, in parentheses, may contain anything. */
function cpuMsOf(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * TICK_MS, 0);
}
