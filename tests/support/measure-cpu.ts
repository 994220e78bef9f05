import { readdirSync, readFileSync } from 'node:fs';
import { afterAll } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** Of the worker and its child processes, on Linux. */
    cpuSeconds?: number;
  }
}

const before = cpuTicks();

// oxlint-disable-next-line no-empty-pattern -- Vitest accepts nothing else as the first argument
afterAll(({}, file) => {
  if (process.platform === 'linux') file.meta.cpuSeconds = (cpuTicks() - before) / 100;
});

/** Of this process and of all that it started, including those that have ended. */
function cpuTicks(): number {
  if (process.platform !== 'linux') return 0;
  const children = new Map<number, number[]>();
  const ticks = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    const fields = statOf(name);
    if (fields === undefined) continue;
    const parent = Number(fields[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
    ticks.set(
      Number(name),
      fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0),
    );
  }
  const sum = (pid: number): number =>
    (children.get(pid) ?? []).reduce((total, child) => total + sum(child), ticks.get(pid) ?? 0);
  return sum(process.pid);
}

/** The fields after the name of the program, which may contain spaces. Nothing if the process has ended. */
function statOf(pid: string): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
