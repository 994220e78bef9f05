import type { Who } from '@countersign/protocol';
import type { Clock, TurnRecord } from '../ports/index.js';
import { createStop } from '../ports/until-aborted.js';

/** Tells a running turn that something changed while it waited for its tools. */
interface WakeSignal {
  /** Resolves at the next wake-up; immediately if there was one since the last call. */
  next(): Promise<void>;
}

/** `Handover` is what a step passes to the run of the turn that it wakes. */
export interface TurnRun<Handover> {
  wakes: WakeSignal;
  /** Handovers that have not been taken yet, oldest first. */
  readonly handovers: readonly Handover[];
  take(): Handover[];
  /** Whether a committed step has just started this run, so that its handover is the current state. */
  readonly isFresh: boolean;
  /** Aborts when the turn is stopped or this process shuts down. */
  signal: AbortSignal;
}

/** Delivers wake-ups. Each turn has at most one run in this process; a wake-up during a run makes it check again. */
export interface Scheduler<Handover> {
  wake(turnId: string, handover?: Handover): void;
  /** Like `wake`, if the turn runs here. */
  wakeIfRunning(turnId: string): void;
  /** The runs in this process. `abort` ends exactly this run, not a later one of the same turn. */
  running(): { turnId: string; abort(reason: string): void }[];
  /** Wakes a turn after a delay, unless this process has shut down. */
  wakeLater(turnId: string, ms: number): void;
  /** Aborts the turn's current model call and tools. `by`: who stopped the turn. */
  abort(turnId: string, reason: string, by?: Who): void;
  /** Stops accepting work and aborts all runs. Resolves when they have ended, or after `graceMs`. */
  close(graceMs: number): Promise<void>;
  /** False once closed: turns woken later run in another process or after the next startup. */
  takesWork(): boolean;
  /** Handovers that were never taken because this process shut down. */
  untaken(): readonly Handover[];
  /** Resolves when nothing runs. */
  quiet(): Promise<void>;
}

interface Active<Handover> {
  stop: ReturnType<typeof createStop>;
  /** Whether there was a wake-up that the run hasn't seen. */
  woken: boolean;
  notify: (() => void) | undefined;
  handovers: Handover[];
}

/** Why a run was aborted that may no longer write: its turn was stopped, or runs in another process. */
export class TurnLost extends Error {
  /** Who stopped the turn, if it is known. */
  readonly by: Who | undefined;

  constructor(reason: string, by?: Who) {
    super(reason);
    this.by = by;
  }
}

/** A keyed queue within one process. Between processes, the turn's claim in the store provides exclusion. */
export function createScheduler<Handover>(
  run: (turnId: string, run: TurnRun<Handover>) => Promise<void>,
  after: Clock['after'],
): Scheduler<Handover> {
  const active = new Map<string, Active<Handover>>();
  const untaken: Handover[] = [];
  const running = new Set<Promise<void>>();
  /** Functions that cancel pending timers: a leftover timer would keep the process alive after closing. */
  const timers = new Set<() => void>();
  let closed = false;

  function start(turnId: string, handovers: Handover[], isFresh: boolean): void {
    const entry: Active<Handover> = { stop: createStop(), woken: false, notify: undefined, handovers };
    active.set(turnId, entry);
    const wakes: WakeSignal = {
      next: () =>
        new Promise((resolve) => {
          if (entry.woken) {
            entry.woken = false;
            resolve();
            return;
          }
          // Keeps `woken`: a run that stopped listening would otherwise swallow a wake-up.
          entry.notify = resolve;
        }),
    };
    const take = (): Handover[] => entry.handovers.splice(0);
    const { signal } = entry.stop;
    const promise = run(turnId, { wakes, handovers, take, isFresh, signal }).finally(() => {
      active.delete(turnId);
      running.delete(promise);
      // Without this second run, a wake-up between the run's last check and its end would be lost.
      if (closed) untaken.push(...take());
      else if (entry.woken) start(turnId, take(), false);
    });
    running.add(promise);
  }

  function wake(turnId: string, handover?: Handover): void {
    const all = handover === undefined ? [] : [handover];
    if (closed) {
      untaken.push(...all);
      return;
    }
    const entry = active.get(turnId);
    if (entry === undefined) {
      start(turnId, all, true);
      return;
    }
    entry.handovers.push(...all);
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
        abort: (reason) => stop.stop(new TurnLost(reason)),
      })),
    wakeLater(turnId, ms) {
      if (!closed) startTimer(ms, () => wake(turnId));
    },
    abort(turnId, reason, by) {
      active.get(turnId)?.stop.stop(new TurnLost(reason, by));
    },
    async close(graceMs) {
      closed = true;
      for (const entry of active.values()) entry.stop.stop(new Error('shutting down'));
      if (running.size > 0) {
        const timeout = new Promise<void>((resolve) => startTimer(graceMs, resolve));
        await Promise.race([Promise.all(running), timeout]);
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

/** A turn interrupted this many times may be the cause of the interruptions (STORE3). */
const SUSPECT_AFTER = 2;

/**
 * Suspects are turns that were interrupted twice together with others. They run one at a time, so that a third interruption identifies the
 * culprit.
 */
export function isSuspect({ interruptions }: Pick<TurnRecord, 'interruptions'>): boolean {
  return interruptions >= SUSPECT_AFTER;
}

/** Runs one suspect at a time in this process (STORE3). */
export interface Quarantine {
  /** False if a suspect is already running, possibly this turn through another claim. */
  enter(turnId: string): boolean;
  /** True if the turn was in quarantine. The next one may then enter. */
  leave(turnId: string): boolean;
}

export function createQuarantine(): Quarantine {
  let inside: string | undefined;
  return {
    enter(turnId) {
      if (inside !== undefined) return false;
      inside = turnId;
      return true;
    },
    leave(turnId) {
      if (inside !== turnId) return false;
      inside = undefined;
      return true;
    },
  };
}
