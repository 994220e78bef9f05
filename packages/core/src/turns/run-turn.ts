import type { TurnRecord } from '../ports/index.js';
import { isExternal } from '../memory/world-snapshot.js';
import { nextStep } from '../turn/next-step.js';
import { callModel } from './call-model.js';
import { findMissingTool, hasTool } from '../step/find-missing-tool.js';
import { endWithError, leaveToOthers, openNext, readSituation, isWaiting } from '../step/move-turn.js';
import type { Situation, Handover, Runtime, StartedCall } from '../step/runtime.js';
import { commit, readState, ignoreNotFound } from '../step/commit.js';
import { runCall } from './run-call.js';
import type { TurnRun } from '../step/scheduler.js';
import { startCall } from '../call/start.js';
import { takeOver } from './take-over.js';
import { onAbort } from '../ports/until-aborted.js';

/**
 * The main loop: reads the state and takes the next step until the turn has ended or waits for someone else (TURN10). All state is in the store,
 * so any process can resume the turn (CALL9).
 */
export async function runTurn(runtime: Runtime, turnId: string, run: TurnRun<Handover>): Promise<void> {
  const tools: RunningTools = { calls: new Map(), abandoned: false };
  // Publish the other steps in the same commit before a tool starts.
  await Promise.resolve();
  try {
    await loop(runtime, turnId, run, tools);
  } finally {
    tools.abandoned = true;
  }
}

/** Running calls, each with the situation after it. If a failed step ends the loop first, each call wakes the turn when it finishes. */
interface RunningTools {
  calls: Map<string, Promise<Situation | undefined>>;
  abandoned: boolean;
}

async function loop(runtime: Runtime, turnId: string, run: TurnRun<Handover>, tools: RunningTools): Promise<void> {
  let stopping: Promise<undefined> | undefined;
  const stopped = (): Promise<undefined> => (stopping ??= aborted(run.signal));
  /** The situation after the last step, to avoid reading it again. If something else has written since, the next step's fence fails. */
  let known = run.isFresh ? run.handovers[0]?.situation : undefined;
  let place = known?.turn;
  let epoch: number | undefined;
  while (!run.signal.aborted) {
    // Another step has changed the turn since.
    if (run.handovers.some(({ situation }) => situation !== known)) known = undefined;
    const remembered = known !== undefined;
    const situation = known ?? (await load(runtime, turnId, place));
    known = undefined;
    if (situation === undefined || situation.turn.owner !== runtime.process.owner) return;
    const { turn } = situation;
    place = turn;
    epoch ??= turn.epoch;
    if (turn.epoch !== epoch) return;
    for (const { started } of run.take()) {
      for (const call of started) if (isStarted(situation, call)) execute(runtime, turn, call, run, tools);
    }
    const step = nextStep(situation);
    if (callsNoModel(situation) && (step.kind === 'call-model' || step.kind === 'give-up')) {
      await endExternalTurn(runtime, turn);
      continue;
    }
    switch (step.kind) {
      case 'call-model': {
        const answered = await callModel(runtime, situation, run.signal);
        if (answered.kind === 'ended') return;
        if (answered.kind === 'reload') break;
        known = answered.situation;
        for (const started of answered.started) execute(runtime, turn, started, run, tools);
        break;
      }
      case 'take-over':
        await takeOver(runtime, turn, step.invocationIds);
        break;
      case 'start':
        if (!runtime.process.mayAct()) {
          // Other processes may consider this one dead. Start nothing until the next heartbeat, which wakes the turn.
          await Promise.race([run.wakes.next(), stopped()]);
          break;
        }
        {
          const missing = findMissingTool(runtime, situation);
          if (missing === undefined) await start(runtime, situation, step.invocationIds, run, tools);
          else if (tools.calls.size > 0) await Promise.race([...tools.calls.values(), run.wakes.next(), stopped()]);
          else return await leaveTo(runtime, turn, missing);
        }
        break;
      case 'await-tools':
        // Two calls settled concurrently; each snapshot misses the other, so reload. Otherwise the turn would wait forever.
        if (remembered && runningHere(situation).length !== tools.calls.size) break;
        if (!remembered && !run.signal.aborted) {
          // A call is marked as started here, but nothing runs it: an earlier run ended in between, so waiting would hang.
          // Skipped while this run is aborted, because the stop or the next start settles its calls.
          const lost = runningHere(situation).filter((id) => !runtime.running.calls.has(id));
          if (lost.length > 0) {
            await takeOver(runtime, turn, lost);
            break;
          }
        }
        known = await Promise.race([...tools.calls.values(), ignoreResult(run.wakes.next()), stopped()]);
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

/** An external agent calls its own model. An ACP agent has no tools of ours, so it can't review a call. */
function callsNoModel({ turn, snapshot, isAcp }: Situation): boolean {
  return isExternal(snapshot, turn.agentId) || (turn.review !== null && isAcp === true);
}

/** False if the call was stopped after the step that started it. */
function isStarted({ turn, invocations }: Situation, { record }: StartedCall): boolean {
  const now = invocations.find(({ id }) => id === record.id);
  return now?.status === 'started' && now.startedEpoch === turn.epoch;
}

async function load(
  runtime: Runtime,
  turnId: string,
  place: Pick<TurnRecord, 'worldId' | 'chatId'> | undefined,
): Promise<Situation | undefined> {
  const found = place ?? (await runtime.store.read((reader) => reader.turn(turnId)));
  if (found === undefined) return undefined;
  const { worldId, chatId } = found;
  const looking = readState(runtime, worldId, { chats: [chatId] }, ({ tx, snapshot }) => {
    const turn = tx.turn(turnId);
    return turn === undefined ? undefined : readSituation(tx, turn, snapshot);
  });
  // A deleted world has no turns.
  return await ignoreNotFound(looking);
}

function runningHere({ invocations }: Situation): string[] {
  return invocations.filter(({ status, runBy }) => status === 'started' && runBy === 'here').map(({ id }) => id);
}

/** Marks calls as started, one after another, and runs them in parallel. */
async function start(
  runtime: Runtime,
  situation: Situation,
  ids: readonly string[],
  run: TurnRun<Handover>,
  tools: RunningTools,
): Promise<void> {
  const { turn, snapshot, invocations } = situation;
  for (const id of ids) {
    const invocation = invocations.find((call) => call.id === id);
    if (invocation === undefined || !hasTool(runtime, invocation)) return;
    const started = await startCall(runtime, turn, snapshot, invocation, run.signal);
    // Not started: the call needs approval again, was refused or is outdated, so reload.
    if (started === undefined) return;
    execute(runtime, turn, started, run, tools);
  }
}

/** Runs a started call in the background. A client tool runs in its client, whose result wakes the turn. */
function execute(
  runtime: Runtime,
  turn: TurnRecord,
  started: StartedCall,
  run: TurnRun<Handover>,
  tools: RunningTools,
): void {
  const { id, runBy, toolName } = started.record;
  if (runBy !== 'here') return;
  runtime.running.calls.add(id);
  const running = runCall(runtime, turn, started, run.signal)
    .catch((error: unknown) =>
      ignoreResult(
        runtime.report(error, `lost the result of ${toolName}`, {
          worldId: turn.worldId,
          turnId: turn.id,
          invocationId: id,
        }),
      ),
    )
    .finally(() => {
      tools.calls.delete(id);
      runtime.running.calls.delete(id);
      if (tools.abandoned && !run.signal.aborted) runtime.scheduler.wake(turn.id);
    });
  tools.calls.set(id, running);
}

async function ignoreResult(work: Promise<void> | void): Promise<undefined> {
  await work;
  return undefined;
}

async function leaveTo(runtime: Runtime, turn: TurnRecord, missing: string): Promise<void> {
  await commit(runtime, 'leave-to-others', turn.worldId, { chats: [turn.chatId] }, (step) =>
    leaveToOthers(runtime, step, turn, missing),
  );
}

/** Returns false if a decision was recorded since the last read; waiting now would miss it. */
async function leave(runtime: Runtime, turn: TurnRecord): Promise<boolean> {
  return await commit(runtime, 'leave', turn.worldId, { chats: [turn.chatId] }, ({ tx, snapshot }) => {
    const current = tx.current(turn);
    if (current === undefined || !isWaiting(readSituation(tx, current, snapshot))) return false;
    if (current.state === 'open') tx.write({ kind: 'turn-paused', chatId: turn.chatId, turnId: turn.id });
    return true;
  });
}

/** Ends the turn of an external program, whose calls have all ended: no model is called for it (EXT1). */
async function endExternalTurn(runtime: Runtime, turn: TurnRecord): Promise<void> {
  await commit(runtime, 'end-external', turn.worldId, { chats: [turn.chatId] }, (step) => {
    const { chatId, agentId, id: turnId } = turn;
    // A call may have joined the turn since it was read.
    if (step.tx.current(turn)?.state !== 'open' || step.tx.openCalls(turn).length > 0) return;
    step.tx.write({ kind: 'turn-ended', chatId, turnId, outcome: 'passed' });
    openNext(runtime, step, { chatId, agentId });
  });
}

/** Ends a turn that exceeded its limit of model calls (TURN10), with a message for people. */
async function giveUp(runtime: Runtime, turn: TurnRecord): Promise<void> {
  await commit(runtime, 'give-up', turn.worldId, { chats: [turn.chatId] }, (step) => {
    const name = step.snapshot.agentName(turn.agentId);
    const words = `${name} stopped after ${turn.iteration} model calls without an answer. Tell it how to continue, or raise maxIterations.`;
    endWithError(runtime, step, turn, 'exhausted', words);
  });
}

async function aborted(signal: AbortSignal): Promise<undefined> {
  if (signal.aborted) return undefined;
  return await new Promise((resolve) => {
    onAbort(signal, () => resolve(undefined));
  });
}
