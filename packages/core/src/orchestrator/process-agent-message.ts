import type { TurnRecord } from '../ports/index.js';
import { nextStep, type TurnSituation } from '../turn/next-step.js';
import type { WorldSnapshot } from '../memory/world-snapshot.js';
import { callModel } from './call-model.js';
import { endInWords } from './end-in-words.js';
import { commit, type Runtime } from './runtime.js';
import { runInvocation } from './run-invocation.js';
import type { TurnRun } from './scheduler.js';
import { startInvocation } from './start-invocation.js';
import { takeOver } from './take-over.js';
import { noteActivity } from './turn-lifecycle.js';
import { readSituation } from './turn-state.js';

/**
 * The one loop: look at the record, take the next step, until the turn has ended or only somebody else can bring it further.
 * A loop and not a recursion (T10). Everything it knows is in the store, so it can be left and taken up anywhere (A9).
 */
export async function processAgentMessage(runtime: Runtime, turnId: string, run: TurnRun): Promise<void> {
  const tools: RunningTools = { calls: new Map(), abandoned: false };
  try {
    await loop(runtime, turnId, run, tools);
  } finally {
    tools.abandoned = true;
  }
}

/** Calls under way. When a failed step ends the loop before them, each wakes the turn at its end, or nobody would. */
interface RunningTools {
  calls: Map<string, Promise<void>>;
  abandoned: boolean;
}

async function loop(runtime: Runtime, turnId: string, run: TurnRun, tools: RunningTools): Promise<void> {
  const stopped = aborted(run.signal);
  let epoch: number | undefined;
  while (!run.signal.aborted) {
    const situation = await load(runtime, turnId);
    if (situation === undefined || situation.turn.owner !== runtime.owner) return;
    const { turn } = situation;
    epoch ??= turn.epoch;
    if (turn.epoch !== epoch) return;
    const step = nextStep(situation);
    switch (step.kind) {
      case 'call-model':
        if (await callModel(runtime, turn, run.signal)) return;
        break;
      case 'take-over':
        await takeOver(runtime, turn, step.invocationIds);
        break;
      case 'start':
        await start(runtime, situation, step.invocationIds, run, tools);
        break;
      case 'await-tools':
        await Promise.race([...tools.calls.values(), run.wakes.next(), stopped]);
        break;
      case 'wait':
        if (turn.state === 'waiting' || (await leave(runtime, turn))) return;
        break;
      case 'give-up':
        await giveUp(runtime, turn);
        break;
      case 'leave':
        return;
    }
  }
}

interface Loaded extends TurnSituation {
  turn: TurnRecord;
  snapshot: WorldSnapshot;
}

async function load(runtime: Runtime, turnId: string): Promise<Loaded | undefined> {
  return await runtime.store.read(async (reader) => {
    const turn = await reader.turn(turnId);
    if (turn === undefined) return undefined;
    const snapshot = await runtime.snapshots(reader, turn.worldId);
    if (snapshot === undefined) return undefined;
    return { ...(await readSituation(reader, turn, snapshot)), turn, snapshot };
  });
}

/** Marks calls as started, one after another, and runs them side by side. */
async function start(
  runtime: Runtime,
  { turn, snapshot }: Loaded,
  ids: readonly string[],
  run: TurnRun,
  tools: RunningTools,
): Promise<void> {
  let { rev } = turn;
  for (const id of ids) {
    const started = await startInvocation(runtime, { ...turn, rev }, snapshot, id);
    // Not started, so something else was written, or somebody else wrote: look again before going on.
    if (started === undefined) return;
    rev += 1;
    if (started.invocation.location === 'client') continue;
    const running = runInvocation(runtime, turn, started, run.signal)
      .catch((error: unknown) => runtime.report(error, `${started.invocation.toolName} ended in a way nobody saw`))
      .finally(() => {
        tools.calls.delete(id);
        if (tools.abandoned && !run.signal.aborted) runtime.scheduler.wake(turn.id);
      });
    tools.calls.set(id, running);
  }
}

/** A compare-and-set: a decision recorded since the last look makes the leaver look again, or it would be slept through. */
async function leave(runtime: Runtime, turn: TurnRecord): Promise<boolean> {
  return await commit(runtime, 'leave', turn.worldId, async (step) => {
    const chat = await step.tx.chat(turn.chatId);
    if (!(await step.tx.stepTurn(turn, { state: 'waiting' }))) return false;
    if (chat !== undefined) await noteActivity(runtime, step, chat);
    return true;
  });
}

/** Ends a turn that asked the model too often (T10), with words for the person. */
async function giveUp(runtime: Runtime, turn: TurnRecord): Promise<void> {
  await commit(runtime, 'give-up', turn.worldId, async (step) => {
    const name = step.snapshot.agentName(turn.agentId);
    const words = `${name} stopped after ${turn.iteration} model calls without an answer. Say how to go on, or raise maxIterations.`;
    await endInWords(runtime, step, turn, 'exhausted', words);
  });
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
