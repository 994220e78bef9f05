import type { RunBy, CallStatus, TurnState } from '../ports/index.js';

/** The input to `nextStep`: the turn and the calls in its latest model response, never the history. */
export interface TurnSituation {
  turn: { state: TurnState; iteration: number; epoch: number };
  /** The calls in model response number `turn.iteration`, in call order. */
  invocations: readonly {
    id: string;
    status: CallStatus;
    runBy: RunBy;
    readOnly: boolean;
    startedEpoch: number | null;
  }[];
  limits: { maxIterations: number; maxParallelTools: number };
  /** The agent is a program that decides itself in which order it runs its calls, and how often it calls its model (EXT3). */
  isAcp?: boolean;
}

type NextStep =
  | { kind: 'call-model' }
  /** Calls started by a process that is gone, so nothing will report their end. */
  | { kind: 'take-over'; invocationIds: string[] }
  | { kind: 'start'; invocationIds: string[] }
  /** Calls are running in this process, and nothing else may start in parallel. */
  | { kind: 'await-tools' }
  /** The turn waits for a person, a client or a program outside. */
  | { kind: 'wait' }
  | { kind: 'give-up' }
  | { kind: 'leave' };

/** Decides the next step of a turn (TURN1–TURN15). Pure: the same situation always gives the same step. */
export function nextStep({ turn, invocations, limits, isAcp = false }: TurnSituation): NextStep {
  if (turn.state === 'ended' || turn.state === 'queued') return { kind: 'leave' };

  const orphans = invocations.filter(
    (call) => call.status === 'started' && call.runBy === 'here' && call.startedEpoch !== turn.epoch,
  );
  if (orphans.length > 0) return { kind: 'take-over', invocationIds: orphans.map((call) => call.id) };

  if (invocations.every((call) => isSettled(call.status))) {
    return turn.iteration >= limits.maxIterations && !isAcp ? { kind: 'give-up' } : { kind: 'call-model' };
  }

  // A program outside starts and runs its calls itself, when it claims them (EXT1).
  const ours = invocations.filter((call) => call.runBy !== 'program');
  const running = ours.filter((call) => call.status === 'started');
  const ready = ours.filter((call) => call.status === 'approved');
  // Its program may wait for every yes before it runs the first call.
  const startable = isAcp ? ready.map((call) => call.id) : pickStartable(ready, running, limits.maxParallelTools);
  if (startable.length > 0) return { kind: 'start', invocationIds: startable };
  if (running.some((call) => call.runBy === 'here')) return { kind: 'await-tools' };
  return { kind: 'wait' };
}

export function isSettled(status: CallStatus): boolean {
  return status === 'succeeded' || status === 'failed' || status === 'denied';
}

type Call = TurnSituation['invocations'][number];

/** Starts calls in order, one at a time; adjacent read-only calls run in parallel (TURN9). */
function pickStartable(ready: readonly Call[], running: readonly Call[], maxParallel: number): string[] {
  const first = ready[0];
  if (first === undefined || running.some((call) => !call.readOnly)) return [];
  if (!first.readOnly) return running.length === 0 ? [first.id] : [];
  const barrier = ready.findIndex((call) => !call.readOnly);
  const adjacent = barrier === -1 ? ready : ready.slice(0, barrier);
  return adjacent.slice(0, Math.max(0, maxParallel - running.length)).map((call) => call.id);
}
