import type { Stats } from '@countersign/protocol';
import type { WorldCounts } from '../ports/index.js';
import type { Runtime } from './runtime.js';
import { readWorld } from './show-world.js';

/** Counts of a world over all that is kept (W3). */
export async function worldStats(runtime: Runtime, worldId: string): Promise<Stats> {
  return toStats(await readWorld(runtime, worldId, (reader) => reader.stats(worldId)));
}

export function toStats({ chats, messages, turns, calls, approvals }: WorldCounts): Stats {
  return {
    chats,
    messages,
    turns: Object.fromEntries(sumBy(turns, ({ outcome }) => outcome)),
    tokens: [...groupBy(turns, ({ agentId }) => agentId)].map(([agentId, of]) => ({
      agentId,
      inputTokens: sum(of, ({ inputTokens }) => inputTokens),
      outputTokens: sum(of, ({ outputTokens }) => outputTokens),
    })),
    tools: [...groupBy(calls, ({ tool }) => tool)].map(([tool, of]) => {
      const byStatus = sumBy(of, ({ status }) => status);
      return {
        tool,
        succeeded: byStatus.get('succeeded') ?? 0,
        failed: byStatus.get('failed') ?? 0,
        denied: byStatus.get('denied') ?? 0,
        running: distribution(of),
      };
    }),
    approvals: [...groupBy(approvals, ({ tool, status, scope }) => JSON.stringify([tool, status, scope]))].flatMap(
      ([, of]) =>
        of.slice(0, 1).map(({ tool, status, scope }) => ({
          tool,
          decision: status,
          ...(scope === null ? {} : { scope }),
          count: sum(of, ({ count }) => count),
        })),
    ),
    // What a deadline, a stop or a change ended, nobody answered.
    waiting: distribution(approvals.filter(({ status }) => status === 'approved' || status === 'denied')),
    pendingApprovals: sum(
      approvals.filter(({ status }) => status === 'pending'),
      ({ count }) => count,
    ),
  };
}

interface Timed {
  ms: number | null;
  count: number;
}

function distribution(of: readonly Timed[]): { count: number; median: number; p95: number } {
  const timed = of.flatMap(({ ms, count }) => (ms === null ? [] : [{ ms, count }])).sort((a, b) => a.ms - b.ms);
  const count = sum(timed, (each) => each.count);
  return { count, median: at(timed, count * 0.5), p95: at(timed, count * 0.95) };
}

/** The value below which so many lie. */
function at(sorted: readonly { ms: number; count: number }[], rank: number): number {
  let passed = 0;
  for (const { ms, count } of sorted) {
    passed += count;
    if (passed >= rank) return ms;
  }
  return 0;
}

function groupBy<T>(of: readonly T[], key: (each: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const each of of) groups.set(key(each), [...(groups.get(key(each)) ?? []), each]);
  return groups;
}

function sumBy<T extends { count: number }>(of: readonly T[], key: (each: T) => string): Map<string, number> {
  return new Map([...groupBy(of, key)].map(([name, group]) => [name, sum(group, ({ count }) => count)]));
}

function sum<T>(of: readonly T[], value: (each: T) => number): number {
  return of.reduce((total, each) => total + value(each), 0);
}
