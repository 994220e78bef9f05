import { sseEventSchema, toolOutputEventSchema } from '@countersign/protocol';
import { z } from 'zod';
import type { Clock, SharedStore } from '../ports/index.js';
import { piecesOf, type Changed, type EventHint, type SharedEventBus } from '../publishers/shared-event-bus.js';
import { claimTurn, SILENT_MS } from '../turns/take-over.js';
import { createRepeater } from './repeater.js';
import type { Runtime } from '../step/runtime.js';

export const BEAT_MS = 1_500;
/** With how long others wait for a silent process, and what the work itself takes, well under ten seconds until a turn goes on (S4). */
export const ROUND_MS = 1_000;
/** Less than what others wait for: a process that could not say for so long that it lives starts nothing any more. */
export const FRESH_MS = 4_500;

/** This process among others on one store. */
export interface Membership {
  /** Says that this process lives and hears the others. It takes no turn yet. */
  start(): Promise<void>;
  /** From here on it runs turns that are nobody's. */
  takeTurns(): Promise<void>;
  /** Takes no more work. It still beats: closing may take longer than the others wait for a silent process. */
  leave(): Promise<void>;
  /** Beats until `endWork` has given back the last turn, then tells the others that this process is gone. */
  retire(endWork: () => Promise<void>): Promise<void>;
  /**
   * May a side effect begin here? Measured from before the last word was sent, on a clock that no one sets: if this says yes, no other
   * process has counted this one as dead yet. After a freeze it says no, and what another has taken over is not started here too.
   */
  mayAct(): boolean;
  /** Has another process been heard of lately? */
  hasOthers(): boolean;
  /** May a turn become this process's? Not once it leaves: nobody would run it. */
  mayOwn(): boolean;
  /** How long ago the store was last told that this process lives. */
  lastHeardMs(): number;
  /** Sent only if there is another process to hear it; `to`: for that one alone. */
  hint(hint: Hint, to?: string): void;
}

type Hint =
  | EventHint
  | { kind: 'wake'; turnId: string }
  | { kind: 'abort'; turnId: string; reason: string }
  /** A process that has just begun to listen: the others may have stopped hinting because they were alone. */
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
  z.object({ kind: z.literal('abort'), turnId, reason: z.string() }),
  z.object({ kind: z.literal('joined') }),
  z.object({ kind: z.literal('events'), worldId, id: z.int(), changed: changed.exactOptional() }),
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
  /** Whatever else is to be looked after now and then. */
  eachRound: () => Promise<void>;
  /** Another process has written something that this one keeps in memory too. */
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
    // One that joins while this is asked is heard before it is found.
    hasOthers = found || othersHeard >= began;
    // Away for a while: what was lost meanwhile is let go of before anything may begin here again.
    if (!wasFresh) await lookAfter();
    lastHeard = began;
  }

  /** Ends what runs here for turns that another process has taken. Gives what is ours and what is nobody's. */
  async function lookAfter(): Promise<{ own: string[]; orphaned: string[] }> {
    // First who runs, then who may: a turn that is taken in between must not pass for a lost one.
    const running = options.runtime().scheduler.running();
    const found = await shared.turnsToLookAfter(owner, SILENT_MS);
    const ours = new Set(found.own);
    for (const run of running) if (!ours.has(run.turnId)) run.abort('this turn is not run here any more');
    return found;
  }

  async function round(): Promise<void> {
    const { own, orphaned } = await lookAfter();
    // Its own ones too: a hint that was lost, or a claim of which only the answer was, would be slept through.
    for (const turnId of own) options.runtime().scheduler.wake(turnId);
    for (const turnId of orphaned) await tryToTake(turnId);
    options.bus().lookAgain();
    await options.eachRound();
  }

  async function tryToTake(turnId: string): Promise<void> {
    await take(turnId).catch((error: unknown) => report(error, 'a turn could not be taken; it is tried again'));
  }

  /** A wake-up was handed to this process. */
  async function take(turnId: string): Promise<void> {
    // Nobody hears that it lives: whoever is heard finds the turn in its next round.
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
    else if (hint.kind === 'abort') scheduler.abort(hint.turnId, hint.reason);
    else {
      options.bus().heard(hint);
      if (hint.kind === 'events' && hint.changed !== undefined) options.onChanged(hint.changed);
    }
  }

  return {
    async start() {
      await beat();
      ends.push(await shared.hear(hear, () => options.bus().lookAgain()));
      send({ kind: 'joined' });
      // Apart from the rounds: one that takes long must not look like death.
      beating.every(BEAT_MS, beat, 'the store could not be told that this process lives');
    },
    async takeTurns() {
      ends.push(await shared.deliverWakes(tryToTake));
      // What nobody runs since an earlier end is taken at once.
      await round();
      rounds.every(ROUND_MS, round, 'the store could not be asked for turns that nobody runs');
    },
    async leave() {
      isLeaving = true;
      void rounds.end();
      await Promise.all(ends.map((end) => end()));
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
