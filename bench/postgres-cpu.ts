import { readFileSync } from 'node:fs';
import { query } from './postgres-query.js';

/** Milliseconds of processor time that each program has used so far. Nothing where there is no `/proc`. */
export function cpuOf(pids: readonly number[]): Map<number, number> {
  return new Map(
    pids.flatMap((pid) => {
      const stat = textOf(`/proc/${pid}/stat`);
      // After the name, which may hold anything; ticks are a hundredth of a second.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return stat === '' ? [] : [[pid, (Number(fields[11]) + Number(fields[12])) * 10] as const];
    }),
  );
}

/** One that began in between has used everything since. */
export function spent(before: ReadonlyMap<number, number>, after: ReadonlyMap<number, number>): number {
  return [...after].reduce((sum, [pid, ms]) => sum + ms - (before.get(pid) ?? 0), 0);
}

/** The programs of this database server, and of no other that may run beside it. */
export async function databasePids(url: string): Promise<number[]> {
  return (await query<{ pid: number }>(url, 'select pid from pg_stat_activity')).map(({ pid }) => pid);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
