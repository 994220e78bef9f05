import { setImmediate } from 'node:timers/promises';
import type { AuditEntry, RuleSuggestion, Suggestions, SuggestedCall } from '@countersign/protocol';
import { judgeAgain, openJudged } from '../../evidence/judged-call.js';
import { maskArguments, tellsSecret } from '../../masking/index.js';
import type { WorldSnapshot } from '../../memory/world-snapshot.js';
import type { Gate, GateInput } from '../../policy/check-tool-approval.js';
import { compileStored, type Policy, splitRules } from '../../policy/index.js';
import { noWorld, readSnapshot } from '../../step/commit.js';
import type { Runtime } from '../../step/runtime.js';
import { entriesSince } from './entries-since.js';
import { type AllowedOutside, allowedOutside } from './opens-outside.js';

const SINCE_MS = 30 * 86_400_000;
/** The newest calls that suggestions are made from and checked with. */
const MOST_CALLS = 5_000;
/** The most denied calls before them. If there are more, nothing is suggested. */
const MOST_DENIED = 5_000;
/** The most candidates that are checked, most frequent first: each judges all calls of its tool again. */
const MOST_TRIED = 20;
const MOST_ITEMS = 5;
const MOST_COVERED = 20;
const MOST_NEAREST = 3;
/** The longest that is kept in memory of a call. */
const LONGEST = 16 * 1024;
/** An approval within this time of the card's appearance says little about the call. */
export const HASTY_MS = 2_000;
/** Rules are made from the first part of the history, and shown with what they would have saved in the rest. */
const LEARNED = 0.7;

/** A call of the past that somebody was asked about, or that a rule denied. */
interface Past {
  readonly id: string;
  readonly entry: Pick<AuditEntry, 'agentId' | 'tool' | 'at' | 'arguments'>;
  /** What the gate judged. Undefined if that is unknown or long; the call then proves nothing, and its denial still counts. */
  readonly text: string | undefined;
  readonly was: 'ask' | 'refuse';
  person?: 'approve' | 'deny';
  isCareful?: boolean;
  /** Whether the rules as they are now would let it run. */
  runsNow?: boolean;
}

/**
 * Allow rules that would have saved questions, each with its proof: what it would have saved in the part of the history that it was not made from, every
 * call that it would have allowed, and the nearest ones that it would not. Only calls that a person approved, one by one and not in passing, count.
 */
export async function suggestRules(runtime: Runtime, worldId: string): Promise<Suggestions> {
  const snapshot = await readSnapshot(runtime, worldId);
  if (snapshot === undefined) throw noWorld(worldId);
  const worlds = found.get(runtime) ?? new Map<string, Found>();
  found.set(runtime, worlds);
  const rules = snapshot.world.policy.join('\n');
  const known = worlds.get(worldId);
  // Cards ask too, and an answer looks at thousands of calls.
  if (known?.rules === rules && runtime.clock.now() < known.goodUntil) return await known.made;
  const started = runtime.clock.now();
  const made = findSuggestions(runtime, worldId, snapshot);
  const entry: Found = { rules, made, goodUntil: Number.POSITIVE_INFINITY };
  worlds.set(worldId, entry);
  try {
    return await made;
  } finally {
    entry.goodUntil = runtime.clock.now() + REST * (runtime.clock.now() - started);
  }
}

interface Found {
  readonly rules: string;
  readonly made: Promise<Suggestions>;
  goodUntil: number;
}
const found = new WeakMap<Runtime, Map<string, Found>>();
/** They are found again after this multiple of the time that it took. */
const REST = 20;

async function findSuggestions(runtime: Runtime, worldId: string, snapshot: WorldSnapshot): Promise<Suggestions> {
  const { past, denied } = await readPast(runtime, worldId);
  if (denied.length === MOST_DENIED) return { items: [], saved: 0 };
  const isLearned = new Set(past.slice(0, Math.ceil(past.length * LEARNED)).map(({ id }) => id));
  const candidates = new Map<string, number>();
  for (const [index, call] of past.entries()) {
    if (index % 100 === 0) await setImmediate();
    const rule = isLearned.has(call.id) ? candidateFrom(call, snapshot) : undefined;
    if (rule !== undefined) candidates.set(rule, (candidates.get(rule) ?? 0) + 1);
  }
  const tried = [...candidates].toSorted(([, a], [, b]) => b - a).slice(0, MOST_TRIED);
  const { policy, adminPolicy } = snapshot;
  const outside = allowedOutside([...policy.lines, ...adminPolicy.lines], runtime.tools(worldId));
  const proven: Proven[] = [];
  for (const [rule] of tried) {
    await setImmediate();
    const item = prove(rule, [...denied, ...past], snapshot, { isLearned, outside });
    if (item !== undefined) proven.push(item);
  }
  const best = proven.toSorted((a, b) => b.item.saves - a.item.saves).slice(0, MOST_ITEMS);
  return { items: best.map(({ item }) => item), saved: new Set(best.flatMap(({ ids }) => ids)).size };
}

/** `denied`: those that came before the newest calls. Otherwise, an agent could make everyone forget a denial by making many calls. */
async function readPast(
  runtime: Runtime,
  worldId: string,
): Promise<{ past: readonly Past[]; denied: readonly Past[] }> {
  const now = await runtime.store.read(async (reader) => reader.now());
  const found = new Map<string, Past>();
  const denied: Past[] = [];
  for await (const entry of entriesSince(runtime, worldId, now - SINCE_MS)) {
    const { kind, invocationId: id, judged, agentId, tool, at } = entry;
    if (id === undefined) continue;
    const known = found.get(id);
    if (kind === 'decision' && known?.was === 'ask') noteDecision(known, entry);
    const was = WAS[kind];
    // A refusal without evidence is a call that couldn't run: no rule denied it.
    if (known !== undefined || was === undefined || (was === 'refuse' && judged === undefined)) continue;
    const opened = judged === undefined ? undefined : openJudged(runtime.store.hashKey, { worldId, id }, judged);
    const text = opened === undefined || opened.length > LONGEST ? undefined : opened;
    // What can't be judged is not shown.
    const shown = text === undefined ? undefined : entry.arguments;
    found.set(id, {
      id,
      entry: { at, ...(agentId && { agentId }), ...(tool && { tool }), arguments: shown },
      text,
      was,
    });
    for (const [oldest, call] of found.size > MOST_CALLS ? found : []) {
      found.delete(oldest);
      if (isDenied(call) && denied.length < MOST_DENIED) denied.push(call);
      break;
    }
  }
  return { past: [...found.values()], denied };
}

/** What a rule lets run saves no question. */
const WAS: Readonly<Partial<Record<AuditEntry['kind'], Past['was']>>> = { request: 'ask', refusal: 'refuse' };

function isDenied({ was, person }: Past): boolean {
  return was === 'refuse' || person === 'deny';
}

/**
 * Any denial counts, and so does an edit: the call as it was proposed did not run. An approval counts only if it is a person's own, for once and for the
 * call as it was proposed, after they had time to read it.
 */
function noteDecision(
  call: Past,
  { decision, scope = 'once', for: principal, edited, who, shownMs = 0, batch }: AuditEntry,
): void {
  if (decision === 'deny' || decision === 'edit') call.person = 'deny';
  if (decision !== 'approve' || who?.kind !== 'person' || call.person !== undefined) return;
  call.person = 'approve';
  const isOwn = scope === 'once' && principal === undefined && edited !== true && batch === undefined;
  call.isCareful = isOwn && shownMs > HASTY_MS;
}

/** The rule that "always" would add for this call. None if it could not be undone, uses the network or runs outside the sandbox. */
function candidateFrom(call: Past, snapshot: WorldSnapshot): string | undefined {
  if (call.person !== 'approve' || call.isCareful !== true) return undefined;
  const gate = judge(call, snapshot, snapshot.policy, { proposes: true });
  if (gate?.kind !== 'ask' || gate.proposedRule === undefined || !isHarmless(gate.judged)) return undefined;
  const [rule, ...more] = splitRules(gate.proposedRule);
  const args = gate.judged?.call.arguments;
  const { secrets } = maskArguments(JSON.stringify(args?.ok === true ? args.value : {}));
  return more.length > 0 || tellsSecret(rule, secrets) ? undefined : rule;
}

function isHarmless(judged: GateInput | undefined): boolean {
  const { call, tool } = judged ?? {};
  if (call === undefined || tool?.claims === undefined || tool.external === true || tool.unconfined === true)
    return false;
  const { effect, subjects } = call;
  if (subjects.length === 0 || subjects.some(({ kind }) => kind === 'host' || kind === 'dynamic')) return false;
  // A command is known by its effect only. File tools can be undone.
  if (effect === undefined) return subjects.every(({ kind }) => kind === 'path');
  return effect.removed.length === 0 && effect.leftOut.length === 0 && effect.outward.length === 0;
}

interface Proven {
  readonly item: RuleSuggestion;
  readonly ids: readonly string[];
}

/** Undefined if the rule would allow a call that was denied, or one that could do harm, or nothing. */
function prove(
  rule: string,
  past: readonly Past[],
  snapshot: WorldSnapshot,
  { isLearned, outside }: { isLearned: ReadonlySet<string>; outside: AllowedOutside },
): Proven | undefined {
  const { lines, ended } = snapshot.policy;
  const world = compileStored([...lines.filter((line) => !ended.includes(line)), rule]);
  const covers: SuggestedCall[] = [];
  const nearest: SuggestedCall[] = [];
  let later = 0;
  const ids: string[] = [];
  const tool = /^allow ([^\s(]+)/.exec(rule)?.[1];
  for (const call of past) {
    if (call.entry.tool !== tool || runsAnyway(call, snapshot)) continue;
    const gate = judge(call, snapshot, world);
    if (gate === undefined && isDenied(call)) return undefined;
    if (gate === undefined) continue;
    const shown = { toolCallId: call.id, agentId: call.entry.agentId ?? '', arguments: call.entry.arguments };
    if (gate.kind !== 'run') {
      if (call.was === 'ask') nearest.push(shown);
      continue;
    }
    if (isDenied(call) || !isHarmless(gate.judged)) return undefined;
    if (completes(gate.judged, outside)) return undefined;
    ids.push(call.id);
    if (!isLearned.has(call.id)) later += 1;
    if (covers.length < MOST_COVERED) covers.push(shown);
  }
  const { length: saves } = ids;
  if (saves < 2) return undefined;
  const others = nearest.slice(-MOST_NEAREST);
  return { item: { rule, saves, savesLater: later, covers, covered: saves, nearest: others }, ids };
}

/** With rules that exist, agents could run what they wrote outside the sandbox, or what one outside the sandbox wrote. */
function completes(judged: GateInput | undefined, outside: AllowedOutside): boolean {
  const { effect, subjects = [] } = judged?.call ?? {};
  const writes = effect === undefined || effect.added.length > 0 || effect.changed.length > 0;
  const runs = subjects.some(({ kind }) => kind === 'words');
  return (writes && outside.runs) || (runs && outside.writes);
}

/** Under the rules as they are now. */
function runsAnyway(call: Past, snapshot: WorldSnapshot): boolean {
  return (call.runsNow ??= judge(call, snapshot, snapshot.policy)?.kind === 'run');
}

function judge(
  { text, entry }: Past,
  snapshot: WorldSnapshot,
  world: Policy,
  more: { proposes?: boolean } = {},
): Gate | undefined {
  const { agentId } = entry;
  if (text === undefined || agentId === undefined || snapshot.agent(agentId) === undefined) return undefined;
  const policies = { admin: snapshot.adminPolicy, world, agent: snapshot.agentPolicy(agentId) };
  return judgeAgain(text, policies, more).gate;
}
