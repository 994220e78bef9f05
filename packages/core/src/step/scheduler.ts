import type { Clock } from '../ports/index.js';
import { createStop } from '../ports/until-aborted.js';

/** Lets a running turn hear that something changed while it waited for its tools. */
interface WakeSignal {
  /** Resolves at the next wake-up after the last call, at once if there was one in between. */
  next(): Promise<void>;
}

/** `Handed` is what a step that woke a turn hands to its run. */
export interface TurnRun<Handed> {
  wakes: WakeSignal;
  /** What was handed over and not taken yet, oldest first. */
  readonly handed: readonly Handed[];
  take(): Handed[];
  /** A step that was kept just now has begun this run, so what it handed over is how things stand. */
  readonly isFresh: boolean;
  /** Fires when the turn was stopped or this process shuts down. */
  signal: AbortSignal;
}

/** Delivers wake-ups: each turn runs at most once at a time in this process; a wake-up meanwhile makes it look again. */
export interface Scheduler<Handed> {
  wake(turnId: string, handed?: Handed): void;
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
  /** False once it is closed: what is woken from then on runs elsewhere, or at the next start. */
  takesWork(): boolean;
  /** What was handed over and never taken, because this process has shut down. */
  untaken(): readonly Handed[];
  /** Resolves when nothing runs. */
  quiet(): Promise<void>;
}

interface Active<Handed> {
  stop: ReturnType<typeof createStop>;
  /** True when a wake-up came that the run has not seen. */
  woken: boolean;
  notify: (() => void) | undefined;
  handed: Handed[];
}

/** A keyed queue in one process. Exclusion between processes is the turn's claim in the store, not this. */
export function createScheduler<Handed>(
  run: (turnId: string, run: TurnRun<Handed>) => Promise<void>,
  after: Clock['after'],
): Scheduler<Handed> {
  const active = new Map<string, Active<Handed>>();
  const untaken: Handed[] = [];
  const running = new Set<Promise<void>>();
  /** What ends each timer: one left behind would keep the process alive after everything is closed. */
  const timers = new Set<() => void>();
  let closed = false;

  function start(turnId: string, handed: Handed[], isFresh: boolean): void {
    const entry: Active<Handed> = { stop: createStop(), woken: false, notify: undefined, handed };
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
    const take = (): Handed[] => entry.handed.splice(0);
    const { signal } = entry.stop;
    const promise = run(turnId, { wakes, handed, take, isFresh, signal }).finally(() => {
      active.delete(turnId);
      running.delete(promise);
      // A wake-up between the run's last look and its end would be lost without this second run.
      if (closed) untaken.push(...take());
      else if (entry.woken) start(turnId, take(), false);
    });
    running.add(promise);
  }

  function wake(turnId: string, handed?: Handed): void {
    const all = handed === undefined ? [] : [handed];
    if (closed) {
      untaken.push(...all);
      return;
    }
    const entry = active.get(turnId);
    if (entry === undefined) {
      start(turnId, all, true);
      return;
    }
    entry.handed.push(...all);
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
      [...active].map(([turnId, { stop }]) => ({
        turnId,
        abort: (reason) => stop.stop(new Error(reason)),
      })),
    wakeLater(turnId, ms) {
      if (!closed) startTimer(ms, () => wake(turnId));
    },
    abort(turnId, reason) {
      active.get(turnId)?.stop.stop(new Error(reason));
    },
    async close(graceMs) {
      closed = true;
      for (const entry of active.values()) entry.stop.stop(new Error('shutting down'));
      if (running.size > 0) {
        const patience = new Promise<void>((resolve) => startTimer(graceMs, resolve));
        await Promise.race([Promise.all(running), patience]);
      }
      for (const cancel of timers) cancel();
      timers.clear();
    },
    takesWork: () => !closed,
    untaken: () => untaken,
    async quiet() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
