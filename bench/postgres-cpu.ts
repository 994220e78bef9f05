import { readFileSync } from 'node:fs';
import { query } from './postgres-query.js';

/** The CPU time in milliseconds that each process has used so far. Empty if there is no `/proc`. */
export function cpuOf(pids: readonly number[]): Map<number, number> {
  return new Map(
    pids.flatMap((pid) => {
      const stat = textOf(`/proc/${pid}/stat`);
      // The fields follow the name, which may contain anything; a tick is 10 ms.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return stat === '' ? [] : [[pid, (Number(fields[11]) + Number(fields[12])) * 10] as const];
    }),
  );
}

/** Includes all CPU time used by processes that started in between. */
export function spent(before: ReadonlyMap<number, number>, after: ReadonlyMap<number, number>): number {
  return [...after].reduce((sum, [pid, ms]) => sum + ms - (before.get(pid) ?? 0), 0);
}

/** This database server's processes. */
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
