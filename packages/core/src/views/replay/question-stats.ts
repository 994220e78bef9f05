import type { AuditEntry, QuestionFigures, QuestionStats } from '@countersign/protocol';
import { distribution, groupBy } from '../../worlds/world-stats.js';
import { noWorld, readSnapshot } from '../../step/commit.js';
import type { Runtime } from '../../step/runtime.js';
import { entriesSince, isHuman } from './entries-since.js';
import { HASTY_MS, suggestRules } from './suggest-rules.js';

const DAY_MS = 86_400_000;
const MOST_CALLS = 100_000;
const MOST_GROUPS = 50;

/** A call of the past, from its records. */
interface Past {
  readonly at: string;
  readonly groups: readonly string[];
  readonly isQuestion: boolean;
  decision?: Pick<AuditEntry, 'at' | 'decision' | 'who' | 'shownMs'>;
}

/** Whether the questions of the last 30 days were worth asking, from the audit log. `person`: only those that this person decided. */
export async function questionStats(
  runtime: Runtime,
  worldId: string,
  { person, suggests, signal }: { person?: string | undefined; suggests: boolean; signal?: AbortSignal },
): Promise<QuestionStats> {
  if ((await readSnapshot(runtime, worldId)) === undefined) throw noWorld(worldId);
  const from = (await runtime.store.read(async (reader) => reader.now())) - 30 * DAY_MS;
  const calls = new Map<string, Past>();
  let more = false;
  for await (const entry of entriesSince(runtime, worldId, from, signal)) {
    more = calls.size >= MOST_CALLS;
    if (more) break;
    note(calls, entry);
  }
  const all = [...calls.values()];
  const counted = person === undefined ? all : all.filter(({ decision }) => decision?.who?.id === person);
  const total = figures(counted);
  const days = new Set(all.map(({ at }) => at.slice(0, 10))).size;
  return {
    since: new Date(from).toISOString(),
    ...total,
    perDay: ratio(total.questions, days),
    perHundred: ratio(total.questions * 100, all.length),
    ...(suggests ? { saveable: (await suggestRules(runtime, worldId)).saved } : {}),
    tools: grouped(counted, 0),
    agents: grouped(counted, 1),
    rules: grouped(
      counted.filter(({ isQuestion }) => isQuestion),
      2,
    ),
    more,
  };
}

function note(calls: Map<string, Past>, entry: AuditEntry): void {
  const { kind, invocationId: id, at, tool = '', agentId = '', rule = '', decision, who, shownMs } = entry;
  if (id === undefined) return;
  const known = calls.get(id);
  if (known === undefined && (kind === 'request' || kind === 'run' || kind === 'refusal'))
    calls.set(id, { at, groups: [tool, agentId, rule], isQuestion: kind === 'request' });
  if (known === undefined || !known.isQuestion || known.decision !== undefined || kind !== 'decision' || !isHuman(who))
    return;
  // What a grant or rule released was not decided, and an edit is not a decision yet.
  if (decision !== 'approve' && decision !== 'deny') return;
  known.decision = { at, decision, who, ...(shownMs === undefined ? {} : { shownMs }) };
}

function grouped(calls: readonly Past[], by: number): QuestionStats['tools'] {
  return [...groupBy(calls, ({ groups }) => groups[by] ?? '')]
    .map(([name, of]) => ({ name, ...figures(of) }))
    .toSorted((a, b) => b.questions - a.questions)
    .slice(0, MOST_GROUPS);
}

function figures(calls: readonly Past[]): QuestionFigures {
  const questions = calls.filter(({ isQuestion }) => isQuestion);
  const decided = questions.flatMap(({ at, decision }) =>
    decision === undefined ? [] : [{ ...decision, ms: Date.parse(decision.at) - Date.parse(at) }],
  );
  const approved = decided.filter(({ decision }) => decision === 'approve');
  const onCard = decided.flatMap(({ shownMs }) => (shownMs === undefined ? [] : [shownMs]));
  return {
    calls: calls.length,
    questions: questions.length,
    approved: approved.length,
    denied: decided.length - approved.length,
    hasty: approved.filter(({ shownMs }) => shownMs !== undefined && shownMs <= HASTY_MS).length,
    waiting: distribution(decided.map(({ ms }) => ({ ms, count: 1 }))),
    onCard: distribution(onCard.map((ms) => ({ ms, count: 1 }))),
  };
}

function ratio(of: number, among: number): number {
  return among === 0 ? 0 : Math.round((of / among) * 10) / 10;
}
