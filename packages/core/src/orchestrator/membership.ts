import { z } from 'zod';
import type { Clock, SharedStore } from '../ports/index.js';
import { piecesOf, type EventHint, type SharedEventBus } from '../publishers/shared-event-bus.js';
import { claimTurn, SILENT_MS } from './claim-turn.js';
import type { Runtime } from './runtime.js';

const BEAT_MS = 2_000;
/** Less than what others wait for: a process that could not say for so long that it lives starts nothing any more. */
const FRESH_MS = 6_000;

/** This process among others on one store. */
export interface Membership {
  start(): Promise<void>;
  /** Takes no more work. */
  leave(): Promise<void>;
  /** Said after the last turn was parked: nobody has to wait until this process counts as dead. */
  retire(): Promise<void>;
  /**
   * May a side effect begin here? Measured from before the last word was sent, on a clock that no one sets: if this says yes, no other
   * process has counted this one as dead yet. After a freeze it says no, and what another has taken over is not started here too.
   */
  mayAct(): boolean;
  hint(hint: Hint): void;
}

type Hint = EventHint | { kind: 'wake'; turnId: string } | { kind: 'abort'; turnId: string; reason: string };

const heardSchema = z.object({
  from: z.string(),
  to: z.string().optional(),
  hint: z.custom<Hint>((value) => typeof value === 'object' && value !== null && 'kind' in value),
});

export interface MembershipOptions {
  shared: SharedStore;
  clock: Clock;
  owner: string;
  runtime: () => Runtime;
  bus: () => SharedEventBus;
  report: (error: unknown, what: string) => void;
  /** Whatever else is to be looked after now and then. */
  eachRound: () => Promise<void>;
}

export function createMembership(options: MembershipOptions): Membership {
  const { shared, clock, owner, report } = options;
  let lastHeard = -Infinity;
  let cancelBeat: (() => void) | undefined;
  let ended = false;
  const ends: (() => Promise<void>)[] = [];

  async function beat(): Promise<void> {
    const began = performance.now();
    await shared.beat(owner);
    lastHeard = began;
  }

  /** One round: say that we live, see what nobody runs, see what we run that is not ours any more. */
  async function round(): Promise<void> {
    await beat();
    const { scheduler } = options.runtime();
    // First who runs, then who may: a turn that is taken in between must not pass for a lost one.
    const running = scheduler.running();
    const ours = new Set(await shared.turnsToLookAfter(owner, SILENT_MS));
    // Cut off or frozen for a while: what it still does for a turn that another has taken is ended.
    for (const turnId of running) if (!ours.has(turnId)) scheduler.abort(turnId, 'this turn is not run here any more');
    // Its own ones too: a hint that was lost, or a claim of which only the answer was, would be slept through.
    for (const turnId of ours) await take(turnId);
    options.bus().lookAgain();
    await options.eachRound();
  }

  function scheduleRound(): void {
    if (ended) return;
    cancelBeat = clock.after(
      BEAT_MS,
      () => {
        round()
          .catch((error: unknown) => report(error, 'the store could not be told that this process lives'))
          .finally(scheduleRound);
      },
      { background: true },
    );
  }

  /** A wake-up was handed to this process. */
  async function take(turnId: string): Promise<void> {
    const runtime = options.runtime();
    const claim = await claimTurn(runtime, shared, turnId);
    if (claim === 'mine') runtime.scheduler.wake(turnId);
    else if (claim !== 'not-runnable') send({ kind: 'wake', turnId }, claim.runsIn);
  }

  function send(hint: Hint, to?: string): void {
    const envelope = (body: string): string =>
      `{"from":${JSON.stringify(owner)}${to === undefined ? '' : `,"to":${JSON.stringify(to)}`},"hint":${body}}`;
    const room = shared.hintLimitBytes - Buffer.byteLength(envelope(''));
    const bodies = hint.kind === 'events' || hint.kind === 'unstored' ? piecesOf(hint, room) : [JSON.stringify(hint)];
    for (const body of bodies) shared.hint(envelope(body));
  }

  function hear(text: string): void {
    const parsed = heardSchema.safeParse(parseJson(text));
    if (!parsed.success || parsed.data.from === owner) return;
    const { to, hint } = parsed.data;
    if (to !== undefined && to !== owner) return;
    const { scheduler } = options.runtime();
    if (hint.kind === 'wake') scheduler.wakeIfRunning(hint.turnId);
    else if (hint.kind === 'abort') scheduler.abort(hint.turnId, hint.reason);
    else options.bus().heard(hint);
  }

  return {
    async start() {
      await beat();
      ends.push(await shared.hear(hear, () => options.bus().lookAgain()));
      ends.push(
        await shared.deliverWakes((turnId) =>
          take(turnId).catch((error: unknown) => report(error, 'a turn could not be taken; it is tried again')),
        ),
      );
      // What nobody runs since an earlier end is taken at once.
      await round();
      scheduleRound();
    },
    async leave() {
      ended = true;
      cancelBeat?.();
      await Promise.all(ends.map((end) => end()));
    },
    retire: () => shared.retire(owner),
    mayAct: () => performance.now() - lastHeard < FRESH_MS,
    hint: (hint) => send(hint),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
