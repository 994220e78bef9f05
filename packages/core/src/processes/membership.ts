import { sseEventSchema, toolOutputEventSchema, whoSchema, type Who } from '@countersign/protocol';
import { z } from 'zod';
import type { Clock, SharedStore } from '../ports/index.js';
import { piecesOf, type Changed, type EventHint, type SharedEventBus } from '../publishers/shared-event-bus.js';
import { claimTurn, SILENT_MS } from '../turns/take-over.js';
import { endLostTurns } from './end-lost-turns.js';
import { createRepeater } from './repeater.js';
import type { Runtime } from '../step/runtime.js';

export const BEAT_MS = 1_500;
/** Short enough that, with SILENT_MS and the work itself, another process resumes a turn in well under ten seconds (STORE4). */
export const ROUND_MS = 1_000;
/** A process without a heartbeat for this long starts nothing. Shorter than SILENT_MS. */
export const FRESH_MS = 4_500;

/** This process among others that share the store. */
export interface Membership {
  /** Starts heartbeats and listens to the others. Takes no turns yet. */
  start(): Promise<void>;
  /** Starts taking turns that no process owns. */
  takeTurns(): Promise<void>;
  /** Stops taking work. Heartbeats continue, because closing may take longer than SILENT_MS. */
  leave(): Promise<void>;
  /** Sends heartbeats until `endWork` has released the last turn, then tells the other processes that this one is gone. */
  retire(endWork: () => Promise<void>): Promise<void>;
  /**
   * Whether a side effect may start here. Measured on a monotonic clock from just before the last heartbeat: if true, no other process
   * considers this one dead yet. False after a freeze, so that a turn that was taken over isn't started twice.
   */
  mayAct(): boolean;
  /** Whether another process was seen recently. */
  hasOthers(): boolean;
  /** Whether this process may take a turn. False once it starts leaving. */
  mayOwn(): boolean;
  /** Time since the last successful heartbeat. */
  lastHeardMs(): number;
  /** Sends a hint if other processes are alive; with `to`, only to that process. */
  hint(hint: Hint, to?: string): void;
}

type Hint =
  | EventHint
  | { kind: 'wake'; turnId: string }
  /** `by`: who stopped the turn. */
  | { kind: 'abort'; turnId: string; reason: string; by?: Who }
  /** A process started listening. The others may have stopped sending hints because they were alone. */
  | { kind: 'joined' };

const turnId = z.string();
const worldId = z.string();
const changed = z.object({ entity: z.enum(['client', 'mcp-server']), worldId, id: z.string() });
const unstored = z.discriminatedUnion('event', [
  z.object({ event: z.literal('sse'), data: sseEventSchema }),
  z.object({ event: z.literal('tool-output'), data: toolOutputEventSchema }),
]);
const hintSchema: z.ZodType<Hint> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('wake'), turnId }),
  z.object({ kind: z.literal('abort'), turnId, reason: z.string(), by: whoSchema.exactOptional() }),
  z.object({ kind: z.literal('joined') }),
  z.object({
    kind: z.literal('events'),
    worldId,
    id: z.int(),
    changed: changed.exactOptional(),
    queue: z.literal(true).exactOptional(),
  }),
  z.object({ kind: z.literal('unstored'), worldId, chatId: z.string(), event: unstored }),
]);
const heardSchema = z.object({ from: z.string(), to: z.string().optional(), hint: hintSchema });

export interface MembershipOptions {
  shared: SharedStore;
  clock: Clock;
  owner: string;
  runtime: () => Runtime;
  bus: () => SharedEventBus;
  report: (error: unknown, what: string) => void;
  /** Other periodic work. */
  eachRound: () => Promise<void>;
  /** Called when another process changed something that this one caches. */
  onChanged: (change: Changed) => void;
}

export function createMembership(options: MembershipOptions): Membership {
  const { shared, clock, owner, report } = options;
  let lastHeard = -Infinity;
  let isLeaving = false;
  let hasOthers = true;
  let othersHeard = -Infinity;
  const beating = createRepeater(clock, report);
  const rounds = createRepeater(clock, report);
  const ends: (() => Promise<void>)[] = [];

  const isFresh = (): boolean => performance.now() - lastHeard < FRESH_MS;

  async function beat(): Promise<void> {
    const began = performance.now();
    const wasFresh = isFresh();
    const found = await shared.beat(owner, SILENT_MS);
    // A process that joins during this query may be missing from its result, but its hint has arrived.
    hasOthers = found || othersHeard >= began;
    // After a pause, stop lost turns before anything may start here again.
    if (!wasFresh) await reconcile();
    lastHeard = began;
  }

  /** Aborts runs of turns that another process took over. Returns this process's turns and the orphaned ones. */
  async function reconcile(): Promise<{ own: string[]; orphaned: string[] }> {
    // Read the running turns before their owners: otherwise, a turn claimed in between would look lost.
    const running = options.runtime().scheduler.running();
    const found = await shared.turnsToCheck(owner, SILENT_MS);
    const ours = new Set(found.own);
    for (const run of running) if (!ours.has(run.turnId)) run.abort('another process took over this turn');
    return found;
  }

  async function round(): Promise<void> {
    const { own, orphaned } = await reconcile();
    // Wake our own turns too: a hint or the answer to a claim may have been lost.
    for (const turnId of own) options.runtime().scheduler.wake(turnId);
    for (const turnId of orphaned) await tryToTake(turnId);
    await endLostTurns(options.runtime(), owner);
    options.bus().recheck();
    await options.eachRound();
  }

  async function tryToTake(turnId: string): Promise<void> {
    await take(turnId).catch((error: unknown) => report(error, 'failed to take a turn; retrying'));
  }

  /** Handles a wake-up that was sent to this process. */
  async function take(turnId: string): Promise<void> {
    // Our heartbeat is stale, so another process will find the turn in its next round.
    if (!isFresh()) return;
    const runtime = options.runtime();
    const claim = await claimTurn(runtime, shared, turnId);
    if (claim === 'mine') runtime.scheduler.wake(turnId);
    else if (claim !== 'not-runnable') send({ kind: 'wake', turnId }, claim.runsIn);
  }

  function send(hint: Hint, to?: string): void {
    if (!hasOthers && hint.kind !== 'joined') return;
    const envelope = (body: string): string =>
      `{"from":${JSON.stringify(owner)}${to === undefined ? '' : `,"to":${JSON.stringify(to)}`},"hint":${body}}`;
    const room = shared.hintLimitBytes - Buffer.byteLength(envelope(''));
    const bodies = hint.kind === 'events' || hint.kind === 'unstored' ? piecesOf(hint, room) : [JSON.stringify(hint)];
    for (const body of bodies) shared.hint(envelope(body));
  }

  function hear(text: string): void {
    const parsed = heardSchema.safeParse(parseJson(text));
    if (!parsed.success || parsed.data.from === owner) return;
    hasOthers = true;
    othersHeard = performance.now();
    const { to, hint } = parsed.data;
    if (to !== undefined && to !== owner) return;
    const { scheduler } = options.runtime();
    if (hint.kind === 'joined') return;
    if (hint.kind === 'wake') scheduler.wakeIfRunning(hint.turnId);
    else if (hint.kind === 'abort') {
      scheduler.abort(hint.turnId, hint.reason, hint.by);
      // A turn that waits for a person has no run to abort.
      options.runtime().providers.endTurn(hint.turnId);
    } else {
      options.bus().heard(hint);
      if (hint.kind === 'events' && hint.changed !== undefined) options.onChanged(hint.changed);
    }
  }

  return {
    async start() {
      await beat();
      ends.push(await shared.hear(hear, () => options.bus().recheck()));
      send({ kind: 'joined' });
      // Separate from the rounds: a slow round must not look like a dead process.
      beating.every(BEAT_MS, beat, 'failed to write a heartbeat');
    },
    async takeTurns() {
      ends.push(await shared.deliverWakes(tryToTake));
      // Immediately take over turns that dead processes left behind.
      await round();
      rounds.every(ROUND_MS, round, 'failed to look for turns that no process is running');
    },
    async leave() {
      isLeaving = true;
      // A round that is still running would use the store after it is closed.
      await Promise.all([rounds.end(), ...ends.map((end) => end())]);
    },
    async retire(endWork) {
      try {
        await endWork();
      } finally {
        await beating.end();
      }
      await shared.retire(owner);
    },
    mayAct: isFresh,
    hasOthers: () => hasOthers,
    mayOwn: () => isFresh() && !isLeaving,
    lastHeardMs: () => performance.now() - lastHeard,
    hint: send,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
