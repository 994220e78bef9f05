import type { TurnRecord } from '../ports/index.js';
import { nextStep } from '../turn/next-step.js';
import { callModel } from './call-model.js';
import { endWithError } from '../step/move-turn.js';
import { commit, readState, unlessGone } from '../step/commit.js';
import type { Handover, Runtime, Started } from '../step/runtime.js';
import { runInvocation } from './run-invocation.js';
import type { TurnRun } from '../step/scheduler.js';
import { startInvocation } from '../calls/start-call.js';
import { takeOver } from './take-over.js';
import { readSituation, waits, type Situation } from '../step/turn-state.js';
import { onAbort } from '../ports/until-aborted.js';

/**
 * The one loop: look at the record, take the next step, until the turn has ended or only somebody else can bring it further.
 * A loop and not a recursion (T10). Everything it knows is in the store, so it can be left and taken up anywhere (A9).
 */
export async function processAgentMessage(runtime: Runtime, turnId: string, run: TurnRun<Handover>): Promise<void> {
  const tools: RunningTools = { calls: new Map(), abandoned: false };
  // Other steps of the same commit are told before a tool begins.
  await Promise.resolve();
  try {
    await loop(runtime, turnId, run, tools);
  } finally {
    tools.abandoned = true;
  }
}

/** Calls under way, each with how the turn stands at its end. When a failed step ends the loop before them, each wakes the turn, or nobody would. */
interface RunningTools {
  calls: Map<string, Promise<Situation | undefined>>;
  abandoned: boolean;
}

async function loop(runtime: Runtime, turnId: string, run: TurnRun<Handover>, tools: RunningTools): Promise<void> {
  let stopping: Promise<undefined> | undefined;
  const stopped = (): Promise<undefined> => (stopping ??= aborted(run.signal));
  /** How the last step left the turn, so that it need not be read again. If somebody else wrote since, the next step's fence finds out. */
  let known = run.isFresh ? run.handed[0]?.situation : undefined;
  let place = known?.turn;
  let epoch: number | undefined;
  while (!run.signal.aborted) {
    // A step of somebody else has changed the turn since.
    if (run.handed.some(({ situation }) => situation !== known)) known = undefined;
    const remembered = known !== undefined;
    const situation = known ?? (await load(runtime, turnId, place));
    known = undefined;
    if (situation === undefined || situation.turn.owner !== runtime.owner) return;
    const { turn } = situation;
    place = turn;
    epoch ??= turn.epoch;
    if (turn.epoch !== epoch) return;
    for (const { started } of run.take()) {
      for (const call of started) if (isStarted(situation, call)) execute(runtime, turn, call, run, tools);
    }
    const step = nextStep(situation);
    switch (step.kind) {
      case 'call-model': {
        const answered = await callModel(runtime, situation, run.signal);
        if (answered.kind === 'ended') return;
        if (answered.kind === 'look') break;
        known = answered.situation;
        for (const started of answered.started) execute(runtime, turn, started, run, tools);
        break;
      }
      case 'take-over':
        await takeOver(runtime, turn, step.invocationIds);
        break;
      case 'start':
        if (!runtime.mayAct()) {
          // Other processes may count this one as dead. It starts nothing until its next heartbeat succeeds, which wakes the turn.
          await Promise.race([run.wakes.next(), stopped()]);
          break;
        }
        await start(runtime, situation, step.invocationIds, run, tools);
        break;
      case 'await-tools':
        // Two that end together each know only of themselves: waiting on the word of one for the other would be for ever.
        if (remembered && runningHere(situation).length !== tools.calls.size) break;
        if (!remembered && !run.signal.aborted) {
          // Started under our name, and no tool of ours: an earlier run here ended between the two. Waiting would be for ever. Not when
          // this run itself is being ended: who stopped it, or the next start, says what became of its calls.
          const lost = runningHere(situation).filter((id) => !runtime.inFlight.has(id));
          if (lost.length > 0) {
            await takeOver(runtime, turn, lost);
            break;
          }
        }
        known = await Promise.race([...tools.calls.values(), nothing(run.wakes.next()), stopped()]);
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

/** Not if it was stopped between the step that started it and this moment. */
function isStarted({ turn, invocations }: Situation, { invocation }: Started): boolean {
  const now = invocations.find(({ id }) => id === invocation.id);
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
  // A turn goes with its world.
  return await unlessGone(looking);
}

function runningHere({ invocations }: Situation): string[] {
  return invocations
    .filter(({ status, location }) => status === 'started' && location === 'server')
    .map(({ id }) => id);
}

/** Marks calls as started, one after another, and runs them side by side. */
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
    if (invocation === undefined) return;
    const started = await startInvocation(runtime, turn, snapshot, invocation, run.signal);
    // Not started, so something else was written, or somebody else wrote: look again before going on.
    if (started === undefined) return;
    execute(runtime, turn, started, run, tools);
  }
}

/** Runs a started call beside the loop. A client's own tool runs there, and its answer wakes the turn. */
function execute(
  runtime: Runtime,
  turn: TurnRecord,
  started: Started,
  run: TurnRun<Handover>,
  tools: RunningTools,
): void {
  const { id, location, toolName } = started.invocation;
  if (location === 'client') return;
  runtime.inFlight.add(id);
  const running = runInvocation(runtime, turn, started, run.signal)
    .catch((error: unknown) =>
      nothing(
        runtime.report(error, `${toolName} ended in a way nobody saw`, {
          worldId: turn.worldId,
          turnId: turn.id,
          invocationId: id,
        }),
      ),
    )
    .finally(() => {
      tools.calls.delete(id);
      runtime.inFlight.delete(id);
      if (tools.abandoned && !run.signal.aborted) runtime.scheduler.wake(turn.id);
    });
  tools.calls.set(id, running);
}

async function nothing(work: Promise<void> | void): Promise<undefined> {
  await work;
  return undefined;
}

/** False: a decision was recorded since the last look, and would be slept through. */
async function leave(runtime: Runtime, turn: TurnRecord): Promise<boolean> {
  return await commit(runtime, 'leave', turn.worldId, { chats: [turn.chatId] }, ({ tx, snapshot }) => {
    const current = tx.current(turn);
    if (current === undefined || !waits(readSituation(tx, current, snapshot))) return false;
    if (current.state === 'open') tx.write({ kind: 'turn-paused', chatId: turn.chatId, turnId: turn.id });
    return true;
  });
}

/** Ends a turn that asked the model too often (T10), with words for the person. */
async function giveUp(runtime: Runtime, turn: TurnRecord): Promise<void> {
  await commit(runtime, 'give-up', turn.worldId, { chats: [turn.chatId] }, (step) => {
    const name = step.snapshot.agentName(turn.agentId);
    const words = `${name} stopped after ${turn.iteration} model calls without an answer. Say how to go on, or raise maxIterations.`;
    endWithError(runtime, step, turn, 'exhausted', words);
  });
}

async function aborted(signal: AbortSignal): Promise<undefined> {
  if (signal.aborted) return undefined;
  return await new Promise((resolve) => {
    onAbort(signal, () => resolve(undefined));
  });
}
