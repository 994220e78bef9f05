import type { Clock, TurnRecord } from '../ports/index.js';

/** Lets a running turn hear that something changed while it waited for its tools. */
interface WakeSignal {
  /** Resolves at the next wake-up after the last call, at once if there was one in between. */
  next(): Promise<void>;
}

/** Where a turn is, if the caller that woke it knows. */
export type TurnPlace = Pick<TurnRecord, 'worldId' | 'chatId'>;

export interface TurnRun {
  wakes: WakeSignal;
  place: TurnPlace | undefined;
  /** Fires when the turn was stopped or this process shuts down. */
  signal: AbortSignal;
}

/** Delivers wake-ups: each turn runs at most once at a time in this process; a wake-up meanwhile makes it look again. */
export interface Scheduler {
  wake(turnId: string, place?: TurnPlace): void;
  /** The same for a turn that runs here, and nothing otherwise. */
  wakeIfRunning(turnId: string): void;
  /** What runs in this process, each with what ends this very run and no later one of the same turn. */
  running(): { turnId: string; abort(reason: string): void }[];
  /** Wakes a turn after a while, unless this process has shut down by then. */
  wakeLater(turnId: string, ms: number): void;
  /** Ends what the turn is doing now: its model call and its tools. */
  abort(turnId: string, reason: string): void;
  /** Takes no more work, ends what runs and resolves when it has ended, or after `graceMs`. */
  close(graceMs: number): Promise<void>;
  /** Resolves when nothing runs. */
  quiet(): Promise<void>;
}

interface Active {
  controller: AbortController;
  /** True when a wake-up came that the run has not seen. */
  woken: boolean;
  notify: (() => void) | undefined;
}

/** A keyed queue in one process. Exclusion between processes is the turn's claim in the store, not this. */
export function createScheduler(
  run: (turnId: string, run: TurnRun) => Promise<void>,
  after: Clock['after'],
): Scheduler {
  const active = new Map<string, Active>();
  const running = new Set<Promise<void>>();
  /** What ends each timer: one left behind would keep the process alive after everything is closed. */
  const timers = new Set<() => void>();
  let closed = false;

  function start(turnId: string, place: TurnPlace | undefined): void {
    const entry: Active = { controller: new AbortController(), woken: false, notify: undefined };
    active.set(turnId, entry);
    const wakes: WakeSignal = {
      next: () =>
        new Promise((resolve) => {
          if (entry.woken) {
            entry.woken = false;
            resolve();
            return;
          }
          // Leaves `woken` as it is: a run that stopped listening would otherwise take a wake-up with it that nobody has seen.
          entry.notify = resolve;
        }),
    };
    const promise = run(turnId, { wakes, place, signal: entry.controller.signal }).finally(() => {
      active.delete(turnId);
      running.delete(promise);
      // A wake-up between the run's last look and its end would be lost without this second run.
      if (entry.woken && !closed) start(turnId, place);
    });
    running.add(promise);
  }

  function wake(turnId: string, place?: TurnPlace): void {
    if (closed) return;
    const entry = active.get(turnId);
    if (entry === undefined) {
      start(turnId, place);
      return;
    }
    entry.woken = true;
    entry.notify?.();
  }

  function startTimer(ms: number, fire: () => void): void {
    const cancel = after(ms, () => {
      timers.delete(cancel);
      fire();
    });
    timers.add(cancel);
  }

  return {
    wake,
    wakeIfRunning(turnId) {
      if (active.has(turnId)) wake(turnId);
    },
    running: () =>
      [...active].map(([turnId, { controller }]) => ({
        turnId,
        abort: (reason) => controller.abort(new Error(reason)),
      })),
    wakeLater(turnId, ms) {
      if (!closed) startTimer(ms, () => wake(turnId));
    },
    abort(turnId, reason) {
      active.get(turnId)?.controller.abort(new Error(reason));
    },
    async close(graceMs) {
      closed = true;
      for (const entry of active.values()) entry.controller.abort(new Error('shutting down'));
      if (running.size > 0) {
        const patience = new Promise<void>((resolve) => startTimer(graceMs, resolve));
        await Promise.race([Promise.all(running), patience]);
      }
      for (const cancel of timers) cancel();
      timers.clear();
    },
    async quiet() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
