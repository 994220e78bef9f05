import { isRule, type AuditEntry, type RuleUse, type RuleUses } from '@countersign/protocol';
import { maskSecrets } from '../../masking/index.js';
import { noWorld, readSnapshot } from '../../step/commit.js';
import type { Runtime } from '../../step/runtime.js';
import { entriesAfter } from './entries-since.js';

type Use = Omit<RuleUse, 'rule'>;

/** What the log says up to a record. It only grows, so each record is read once. */
interface Known {
  readonly seq: number;
  readonly uses: Map<string, Use>;
}
const known = new WeakMap<Runtime, Map<string, Promise<Known>>>();

/** Who added each rule of a world, and how often it decided (RULE14). Rules of agents and the administrator with the same text count too. */
export async function ruleUses(runtime: Runtime, worldId: string): Promise<RuleUses> {
  const snapshot = await readSnapshot(runtime, worldId);
  if (snapshot === undefined) throw noWorld(worldId);
  const worlds = known.get(runtime) ?? new Map<string, Promise<Known>>();
  known.set(runtime, worlds);
  const next = readOn(runtime, worldId, worlds.get(worldId));
  worlds.set(worldId, next);
  next.catch(() => worlds.delete(worldId));
  const { uses } = await next;
  const items = snapshot.world.policy
    .filter(isRule)
    .map((rule): RuleUse => ({ rule, ...(uses.get(maskSecrets(rule)) ?? { used: 0 }) }));
  return { items };
}

async function readOn(runtime: Runtime, worldId: string, before: Promise<Known> | undefined): Promise<Known> {
  const { seq, uses } = (await before) ?? { seq: 0, uses: new Map<string, Use>() };
  let last = seq;
  for await (const entry of entriesAfter(runtime, worldId, seq)) {
    last = entry.seq;
    note(uses, entry);
  }
  return { seq: last, uses };
}

function note(uses: Map<string, Use>, { kind, decision, rule, agentId, invocationId, who, at }: AuditEntry): void {
  if (rule === undefined) return;
  const found = uses.get(rule) ?? { used: 0 };
  // The rules of an agent have its id, and no call.
  const isWorld = agentId === undefined || invocationId !== undefined;
  if (kind === 'policy' && decision === 'added' && who !== undefined && isWorld)
    uses.set(rule, { ...found, added: { who, at } });
  if (kind === 'run' || kind === 'request' || kind === 'refusal')
    uses.set(rule, { ...found, used: found.used + 1, lastAt: at });
}
