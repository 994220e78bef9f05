import { createHash } from 'node:crypto';
import {
  CountersignError,
  type AuditEntry,
  type PolicyReplay,
  type ReplayedCall,
  type Replayed,
  type Signer,
} from '@countersign/protocol';
import { judgeAgain, openJudged } from '../../evidence/judged-call.js';
import type { WorldSnapshot } from '../../memory/world-snapshot.js';
import { compileStored, policyAt, type Policy } from '../../policy/index.js';
import { commit, noWorld, readSnapshot } from '../../step/commit.js';
import type { Runtime } from '../../step/runtime.js';
import { entriesSince, isHuman } from './entries-since.js';
import { compileTried } from '../../worlds/check-policy.js';

/** The most calls that one replay judges. */
const MOST_CALLS = 100_000;
/** The most calls that it lists of each kind; the rest are counted. */
const MOST_LISTED = 500;
/** The most verdicts that are kept, because agents often repeat a call. */
const MOST_KNOWN = 5_000;
/** How many records are read between two reports of progress. */
const TOLD_EACH = 1_000;
const DEFAULT_MS = 30 * 86_400_000;

type Outcome = ReplayedCall['was'];

/** A call, as it was judged first. */
interface Judged {
  readonly entry: Pick<AuditEntry, 'seq' | 'at' | 'agentId' | 'chatId' | 'tool' | 'arguments'>;
  readonly was: Outcome;
  readonly would: Outcome;
  readonly rule?: string;
}

/** Replays are rare and costly, so each process runs one at a time. */
const running = new WeakMap<Runtime['store'], Running>();

interface Running {
  /** The editing session, of one person in one world. */
  readonly session: string | undefined;
  readonly cancel: AbortController;
  readonly ended: Promise<unknown>;
}

/** A page replays while somebody types, which would fill the audit log. */
const SESSION_MS = 3_600_000;
const MOST_SESSIONS = 1_000;
/** Editing sessions whose replays were recorded, and when. */
const recorded = new WeakMap<Runtime['store'], Map<string, number>>();

function isRecorded({ store }: Runtime, session: string | undefined, now: number): boolean {
  if (session === undefined) return false;
  const sessions = recorded.get(store) ?? new Map<string, number>();
  recorded.set(store, sessions);
  const last = sessions.get(session);
  if (last !== undefined && now - last < SESSION_MS) return true;
  sessions.delete(session);
  sessions.set(session, now);
  for (const oldest of sessions.size > MOST_SESSIONS ? sessions.keys() : []) {
    sessions.delete(oldest);
    break;
  }
  return false;
}

/**
 * What other rules would have decided for the calls in the audit log, from the evidence that was sealed when they were judged. Nothing runs and nothing is
 * rehearsed. Each call is judged at the time of its record, under the rules of its agent and the administrator as they are now.
 */
export async function replayPolicy(
  runtime: Runtime,
  worldId: string,
  { rules, since, session: id }: PolicyReplay,
  { by, signal, tell }: { by: Signer; signal?: AbortSignal; tell?: (calls: number) => void },
): Promise<Replayed> {
  const { store } = runtime;
  const session = id === undefined ? undefined : JSON.stringify([worldId, by.who.kind, by.who.id, id]);
  const snapshot = await readSnapshot(runtime, worldId);
  if (snapshot === undefined) throw noWorld(worldId);
  const candidate =
    rules === undefined ? compileStored(snapshot.world.policy) : (await compileTried(runtime, worldId, rules)).policy;
  const last = running.get(store);
  if (last !== undefined && session !== undefined && last.session === session) {
    last.cancel.abort(new CountersignError('conflict', 'A newer replay of this editing session has started.'));
    await last.ended.catch(() => undefined);
  }
  if (running.has(store))
    throw new CountersignError('conflict', 'Another replay is running. Try again when it has ended.');
  const cancel = new AbortController();
  const stop = signal === undefined ? cancel.signal : AbortSignal.any([signal, cancel.signal]);
  const work = async (): Promise<Replayed> => {
    const now = await store.read(async (reader) => reader.now());
    const from = since === undefined ? now - DEFAULT_MS : Date.parse(since);
    const why = `calls since ${new Date(from).toISOString()}`;
    if (!isRecorded(runtime, session, now))
      await commit(runtime, 'replay-policy', worldId, { chats: [] }, ({ tx }) => {
        tx.write({ kind: 'policy-replayed', why, by });
      });
    tell?.(0);
    const tally = createTally();
    const judge = createJudge(runtime, snapshot, candidate);
    for await (const entry of entriesSince(runtime, worldId, from, stop)) {
      if (!tally.note(entry, judge)) break;
      if (entry.seq % TOLD_EACH === 0) tell?.(tally.count());
    }
    return tally.result();
  };
  const ended = work().finally(() => running.delete(store));
  running.set(store, { session, cancel, ended });
  return await ended;
}

type Judge = (entry: AuditEntry) => { would: Outcome; rule?: string; sameRules: 'all' | 'others' | 'none' } | NotJudged;
type NotJudged = Replayed['notJudged'][number]['code'];

function createJudge({ store }: Runtime, snapshot: WorldSnapshot, candidate: Policy): Judge {
  let world = candidate;
  // As it was before any of its rules ended.
  let admin = compileStored(snapshot.adminPolicy.lines);
  const known = new Map<string, ReturnType<Judge>>();
  return ({ worldId, invocationId = '', agentId, judged, at }) => {
    if (judged === undefined) return 'no-evidence';
    const text = openJudged(store.hashKey, { worldId, id: invocationId }, judged);
    if (text === undefined) return 'other-key';
    if (agentId === undefined || snapshot.agent(agentId) === undefined) return 'agent-removed';
    // Records come in the order of their times, so rules end one after the other.
    const then = [policyAt(world, Date.parse(at)), policyAt(admin, Date.parse(at))] as const;
    if (then[0] !== world || then[1] !== admin) known.clear();
    [world, admin] = then;
    // A text can have a megabyte.
    const key = createHash('sha256').update(`${agentId} ${text}`).digest('base64url');
    const found = known.get(key);
    if (found !== undefined) return found;
    const { gate, sameRules } = judgeAgain(text, { admin, world, agent: snapshot.agentPolicy(agentId) });
    const { kind, rule } = gate;
    // Under the same rules, its effect was unknown then too.
    const isUnknown = kind === 'ask' && gate.reason.code === 'effect-unknown' && sameRules !== 'all';
    const made = isUnknown ? 'not-rehearsed' : { would: kind, sameRules, ...(rule === undefined ? {} : { rule }) };
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(key, made);
    return made;
  };
}

interface Tally {
  /** False once the limit is reached. */
  note(entry: AuditEntry, judge: Judge): boolean;
  /** The calls judged so far. */
  count(): number;
  result(): Replayed;
}

function createTally(): Tally {
  const calls = new Map<string, 'done' | Judged>();
  const notJudged = new Map<NotJudged, number>();
  const [denied, approved] = [listOf(), listOf()];
  const asked = { was: 0, would: 0 };
  const count = { judged: 0, otherRules: 0, differs: 0 };
  let more = false;
  const miss = (code: NotJudged): void => void notJudged.set(code, (notJudged.get(code) ?? 0) + 1);

  function judgeFirst(id: string, entry: AuditEntry, was: Outcome, judge: Judge): void {
    const found = judge(entry);
    calls.set(id, 'done');
    if (typeof found === 'string') return miss(found);
    const { would, rule, sameRules } = found;
    count.judged += 1;
    if (was === 'ask') asked.was += 1;
    if (would === 'ask') asked.would += 1;
    if (sameRules === 'none') count.otherRules += 1;
    if (sameRules === 'all' && was !== would) count.differs += 1;
    const { seq, at, agentId, chatId, tool, arguments: args } = entry;
    const call: Judged = {
      entry: { seq, at, agentId, chatId, tool, arguments: shortened(args) } as Judged['entry'],
      was,
      would,
      ...(rule === undefined ? {} : { rule }),
    };
    if (was === 'refuse' && would === 'run') denied.add(id, call);
    if (was === 'run' && would === 'refuse') approved.add(id, call);
    // Only a person's decision can make these two matter.
    if (was === 'ask' && would !== 'ask') calls.set(id, call);
  }

  return {
    note(entry, judge) {
      const { kind, invocationId: id, decision, who } = entry;
      if (id === undefined) return true;
      const known = calls.get(id);
      const was = WAS[kind];
      if (was !== undefined && known === undefined) {
        if (calls.size >= MOST_CALLS) {
          more = true;
          return false;
        }
        judgeFirst(id, entry, was, judge);
      } else if (kind === 'decision' && known !== undefined) {
        const open = known === 'done' || !isHuman(who) ? undefined : known;
        if (decision === 'deny' && open?.would === 'run') denied.add(id, open);
        if (decision === 'approve' && open?.would === 'refuse') approved.add(id, open);
        // An edited call is another one, which is judged next.
        if (decision === 'edit') calls.delete(id);
        else calls.set(id, 'done');
      }
      return true;
    },
    count: () => count.judged,
    result: () => ({
      calls: count.judged,
      // oxlint-disable-next-line unicorn/no-thenable -- a number in JSON, which nothing awaits
      asked: { then: asked.was, now: asked.would },
      wouldRunAlthoughDenied: denied.items,
      wouldBeDeniedAlthoughApproved: approved.items,
      notJudged: [...notJudged].map(([code, calls]) => ({ code, calls })),
      otherRules: count.otherRules,
      differs: count.differs,
      more: more || denied.isFull() || approved.isFull(),
    }),
  };
}

/** Of arguments, as JSON. */
const LONGEST_SHOWN = 4_000;

/** What is listed is in memory until the replay has ended. */
function shortened(args: unknown): unknown {
  const text = JSON.stringify(args) ?? '';
  return text.length <= LONGEST_SHOWN ? args : `${text.slice(0, LONGEST_SHOWN)}…`;
}

/** How a call was decided at first, by the kind of its record. */
const WAS: Readonly<Partial<Record<AuditEntry['kind'], Outcome>>> = { request: 'ask', refusal: 'refuse', run: 'run' };

function listOf(): { items: ReplayedCall[]; add: (id: string, call: Judged) => void; isFull: () => boolean } {
  const items: ReplayedCall[] = [];
  let count = 0;
  return {
    items,
    isFull: () => count > items.length,
    add(id, { entry, was, would, rule }) {
      count += 1;
      if (items.length >= MOST_LISTED) return;
      const { seq, at, agentId = '', chatId = '', tool = '', arguments: args } = entry;
      const by = was === 'ask' ? 'person' : 'rule';
      items.push({
        toolCallId: id,
        seq,
        at,
        agentId,
        chatId,
        toolName: tool,
        arguments: args,
        was,
        would,
        decidedBy: by,
        ...(rule === undefined ? {} : { rule }),
      });
    },
  };
}
