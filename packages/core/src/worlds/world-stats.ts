import { readWho, type Stats, type Who } from '@countersign/protocol';
import type { WorldCounts } from '../ports/index.js';
import type { Runtime } from '../step/runtime.js';
import { readWorld } from './show-world.js';

/** Statistics for worlds with fewer rows are not cached. */
const FEW_ROWS = 20_000;
/** Cache time per row for larger worlds: about twenty times as long as counting takes. */
const MS_PER_ROW = 0.1;

interface Counted {
  counts: Promise<WorldCounts>;
  /** When the cached counts expire. */
  goodUntil: number;
}
const counted = new WeakMap<Runtime, Map<string, Counted>>();

/** Statistics over all of a world's stored data (HTTP2). `person`: count only approvals that this person decided or signed. Counting reads every row, so the statistics of a large world are cached for some seconds. */
export async function worldStats(runtime: Runtime, worldId: string, person?: string): Promise<Stats> {
  const known = counted.get(runtime) ?? new Map<string, Counted>();
  counted.set(runtime, known);
  const last = known.get(worldId);
  if (last !== undefined && runtime.clock.now() < last.goodUntil) return toStats(await last.counts, person);
  // Concurrent requests share one count.
  const counts = readWorld(runtime, worldId, (reader) => reader.stats(worldId));
  const current: Counted = { counts, goodUntil: Number.POSITIVE_INFINITY };
  known.set(worldId, current);
  try {
    const rows = rowsOf(await counts);
    current.goodUntil = rows < FEW_ROWS ? 0 : runtime.clock.now() + rows * MS_PER_ROW;
    return toStats(await counts, person);
  } finally {
    if (current.goodUntil === 0 || current.goodUntil === Number.POSITIVE_INFINITY) known.delete(worldId);
  }
}

function rowsOf({ turns, calls, approvals }: WorldCounts): number {
  return sum([...turns, ...calls, ...approvals], ({ count }) => count);
}

export function toStats({ chats, messages, turns, calls, approvals: all }: WorldCounts, person?: string): Stats {
  const approvals = person === undefined ? all : all.filter((each) => signersOf(each).some(isPerson(person)));
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
    signers: signersIn(all),
    // Approvals that expired, or were ended by a stop or a change, have no decision.
    waiting: distribution(approvals.filter(({ status }) => status === 'approved' || status === 'denied')),
    pendingApprovals: sum(
      all.filter(({ status }) => status === 'pending'),
      ({ count }) => count,
    ),
  };
}

/** Everyone who approved or denied calls, most active first. A call under `by 2 of` counts for each of its signers. */
function signersIn(approvals: WorldCounts['approvals']): Stats['signers'] {
  const found = new Map<string, Stats['signers'][number]>();
  for (const approval of approvals) {
    const { status, count } = approval;
    const isApproved = status === 'approved';
    for (const who of signersOf(approval)) {
      const key = JSON.stringify([who.kind, who.id]);
      const so = found.get(key) ?? { who, approved: 0, denied: 0 };
      const approved = so.approved + (isApproved ? count : 0);
      found.set(key, { who, approved, denied: so.denied + (isApproved ? 0 : count) });
    }
  }
  return [...found.values()].sort((one, other) => other.approved + other.denied - one.approved - one.denied);
}

/** Who decided a call and, if it was approved, everyone who signed it, once each. */
function signersOf({ by, status, signing }: WorldCounts['approvals'][number]): Who[] {
  if (by === null || (status !== 'approved' && status !== 'denied')) return [];
  const all = [readWho(by), ...(status === 'approved' ? (signing?.signed ?? []).map(({ who }) => who) : [])];
  const distinct = new Map<string, Who>(all.map((who) => [JSON.stringify([who.kind, who.id]), who]));
  return [...distinct.values()].filter(({ kind }) => kind !== 'system');
}

const isPerson =
  (id: string) =>
  (who: Who): boolean =>
    who.kind === 'person' && who.id === id;

interface Timed {
  ms: number | null;
  count: number;
}

export function distribution(of: readonly Timed[]): { count: number; median: number; p95: number } {
  const timed = of.flatMap(({ ms, count }) => (ms === null ? [] : [{ ms, count }])).sort((a, b) => a.ms - b.ms);
  const count = sum(timed, (each) => each.count);
  return { count, median: at(timed, count * 0.5), p95: at(timed, count * 0.95) };
}

/** The value at a rank of the distribution. */
function at(sorted: readonly { ms: number; count: number }[], rank: number): number {
  let passed = 0;
  for (const { ms, count } of sorted) {
    passed += count;
    if (passed >= rank) return ms;
  }
  return 0;
}

export function groupBy<T>(of: readonly T[], key: (each: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const each of of) {
    const group = groups.get(key(each));
    if (group === undefined) groups.set(key(each), [each]);
    else group.push(each);
  }
  return groups;
}

function sumBy<T extends { count: number }>(of: readonly T[], key: (each: T) => string): Map<string, number> {
  return new Map([...groupBy(of, key)].map(([name, group]) => [name, sum(group, ({ count }) => count)]));
}

function sum<T>(of: readonly T[], value: (each: T) => number): number {
  return of.reduce((total, each) => total + value(each), 0);
}
