import { setImmediate } from 'node:timers/promises';
import { ToolFailure, type InvocationRecord, type ToolContext, type TurnRecord } from '../ports/index.js';
import { createChunkMasker, maskArguments, maskResult } from '../masking/index.js';
import { keepPaths, namesPath, withholdPaths } from '../policy/index.js';
import { nextStep } from '../turn/next-step.js';
import { openQuestions, type OpenQuestions } from '../decisions/ask-question.js';
import { expireToolQuestions } from '../calls/close-tool-question.js';
import { callOf, signAtOnce, toPolicyCall } from '../calls/gate-call.js';
import { commit, mustHaveChanged, type Place, type Runtime, type Step, type Started } from '../step/runtime.js';
import { frameSettlement, settleInvocation, type Settlement } from '../calls/settle-invocation.js';
import { startInStep } from '../calls/start-invocation.js';
import { noteActivity } from '../step/turn-lifecycle.js';
import { intoState, situationAfter, type Situation } from '../step/turn-state.js';
import { pauseFor, untilAborted, withinTime } from '../ports/until-aborted.js';
import { textOf, wordsOf } from '../ports/words-of.js';
import { openWorldDoor } from '../worlds/world-door.js';

/** How a turn stands after a call's end was written, and the call that was started with it. */
interface Ended {
  situation: Situation;
  next: Started | undefined;
}

/**
 * Runs a started call and writes how it ended. Never rejects for what the tool does: that is a result (T11). Gives how the turn
 * stands then; undefined if nothing was written.
 */
export async function runInvocation(
  runtime: Runtime,
  turn: TurnRecord,
  started: Started,
  signal: AbortSignal,
): Promise<Ended | undefined> {
  // Frozen between the step that started it and here: another process may have said already that nobody knows how it went.
  if (!runtime.mayAct()) {
    await giveBack(runtime, turn, started.invocation);
    return undefined;
  }
  const questions = openQuestions(runtime, started, signal);
  const began = performance.now();
  const settlement = await execute(runtime, started, signal, questions);
  measureTool(runtime, started, settlement, performance.now() - began);
  const content = await frameFirst(runtime, started.invocation, settlement);
  // Stopped meanwhile: who stopped it has settled the call. Shutting down: the next start will say that nobody saw its end.
  if (signal.aborted) return undefined;
  return await writeEnd(runtime, turn, started, settlement, signal, {
    content,
    questions,
    ahead: await lookAhead(runtime, started),
  });
}

/** Of this many characters, masking takes some milliseconds. */
const LONG_CHARACTERS = 16 * 1024;

/** Outside of the step that writes it, and with a pause for everybody else: a long result takes time to be framed, and again to be masked. */
async function frameFirst(runtime: Runtime, invocation: InvocationRecord, settlement: Settlement): Promise<string> {
  const content = frameSettlement(runtime, invocation, settlement);
  if (content.length <= LONG_CHARACTERS) return content;
  await setImmediate();
  maskResult(content, maskArguments(invocation.arguments).secrets);
  await setImmediate();
  return content;
}

/** What goes with the end of a call. */
interface Around {
  content: string;
  questions: OpenQuestions;
  ahead: Ahead;
}

/** What the call after this one is looked at in. */
type Ahead = { place: Place; rev: number } | undefined;

/** Longer than this the end of a call does not wait for where the next one would act: a disk may never answer. */
const LOOK_AHEAD_MS = 100;

/** Only where another call of the same answer could follow at once. */
async function lookAhead(runtime: Runtime, { hasSiblings, snapshot }: Started): Promise<Ahead> {
  if (!hasSiblings) return undefined;
  try {
    const place = await withinTime(runtime.clock, LOOK_AHEAD_MS, () => runtime.findPlace(snapshot));
    return { place, rev: snapshot.world.rev };
  } catch {
    // Whoever starts the next call finds the same, and has words for it.
    return undefined;
  }
}

function measureTool(runtime: Runtime, { invocation }: Started, { kind }: Settlement, ms: number): void {
  const outcome = kind === 'succeeded' || kind === 'unknown' ? kind : 'failed';
  const { id: invocationId, worldId, turnId, toolName: tool } = invocation;
  runtime.measure({ kind: 'tool', worldId, turnId, invocationId, tool, outcome, ms });
}

/** It has not begun, and this process still holds its turn or can't write: who may act starts it. */
async function giveBack(runtime: Runtime, turn: TurnRecord, { id }: InvocationRecord): Promise<void> {
  await commit(runtime, 'give-back', turn.worldId, async (step) => {
    const current = await step.tx.turn(turn.id);
    if (current === undefined || current.epoch !== turn.epoch) return;
    mustHaveChanged(await step.tx.stepTurn(current, {}));
    await step.tx.changeInvocation(id, 'started', { status: 'approved', startedEpoch: null });
  });
}

const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 30_000;

/** The tool has run and only this process knows how it went: a store that is away (a full disk, a lost connection) is waited for. */
async function writeEnd(
  runtime: Runtime,
  turn: TurnRecord,
  { invocation }: Started,
  settlement: Settlement,
  signal: AbortSignal,
  around: Around,
): Promise<Ended | undefined> {
  for (let pause = FIRST_RETRY_MS; ; pause = Math.min(pause * 2, LONGEST_RETRY_MS)) {
    try {
      return await settleStarted(runtime, turn, invocation, settlement, around);
    } catch (error) {
      if (signal.aborted) return undefined;
      runtime.report(error, `the end of ${invocation.toolName} could not be written; it is tried again`, {
        worldId: turn.worldId,
        turnId: turn.id,
        invocationId: invocation.id,
      });
    }
    await pauseFor(runtime.clock, pause, signal).catch(() => undefined);
    if (signal.aborted) return undefined;
  }
}

/** Writes the end of a call that this process ran. */
async function settleStarted(
  runtime: Runtime,
  turn: Pick<TurnRecord, 'id' | 'worldId' | 'epoch'>,
  invocation: InvocationRecord,
  settlement: Settlement,
  { content, questions, ahead }: Around,
): Promise<Ended | undefined> {
  return await commit(runtime, 'settle-invocation', turn.worldId, async (step) => {
    const taken = await takeTurn(step, turn, invocation);
    if (taken === undefined) return undefined;
    const { current, after } = taken;
    const { state } = after.turn;
    // A tool that asked and did not wait for the answer: nobody is left to hear it.
    if (questions.ids.size > 0) await expireToolQuestions(step, invocation, questions.ids);
    await settleInvocation(runtime, step, invocation, settlement, content);
    if (state !== current.state) await noteActivity(runtime, step, current.chatId);
    const next = ahead === undefined ? undefined : await startNext(runtime, step, after, ahead);
    if (next === undefined) return { situation: after, next };
    runtime.inFlight.add(next.invocation.id);
    step.afterRollback(() => runtime.inFlight.delete(next.invocation.id));
    const invocations = after.invocations.map((call) => (call.id === next.invocation.id ? next.invocation : call));
    return { situation: { ...after, invocations }, next };
  });
}

/** Undefined: somebody else has it. */
async function takeTurn(
  step: Step,
  turn: Pick<TurnRecord, 'id' | 'epoch'>,
  { id }: InvocationRecord,
): Promise<{ current: TurnRecord; after: Situation } | undefined> {
  // Siblings that end or are decided in the same moment must not cost this call its result, however many they are.
  for (;;) {
    // Read here and not carried along: a decision on a sibling may have raised `rev` while the tool ran.
    const current = await step.tx.turn(turn.id);
    if (current === undefined || current.epoch !== turn.epoch) return undefined;
    const after = await situationAfter(step.tx, current, step.snapshot, { invocationId: id, status: 'succeeded' });
    if (await step.tx.stepTurn(current, intoState(current, after.turn.state))) return { current, after };
  }
}

/** The one call that follows, started in the step that ends the one before it: its own would only write what this one can (T8, T9). */
async function startNext(
  runtime: Runtime,
  step: Step,
  after: Situation,
  { place, rev }: NonNullable<Ahead>,
): Promise<Started | undefined> {
  if (step.snapshot.world.rev !== rev) return undefined;
  const next = nextStep(after);
  const [id] = next.kind === 'start' ? next.invocationIds : [];
  if (next.kind !== 'start' || id === undefined || next.invocationIds.length !== 1) return undefined;
  const invocation = await step.tx.invocation(id);
  if (invocation === undefined) return undefined;
  const call = callOf(runtime, invocation);
  // What comes from a server may have to be brought first, and what looks at files has to look now.
  if (call.tool?.pin !== undefined) return undefined;
  const signed = signAtOnce(runtime, call, { agentId: invocation.agentId, chatId: invocation.chatId, place });
  if (signed === undefined) return undefined;
  const started = await startInStep(runtime, step, after.turn, invocation, call, { place, signed });
  return started === undefined ? undefined : { ...started, hasSiblings: after.invocations.length > 1 };
}

async function execute(
  runtime: Runtime,
  started: Started,
  signal: AbortSignal,
  questions: OpenQuestions,
): Promise<Settlement> {
  const { invocation, tool, value, place, fingerprint } = started;
  const output = outputOf(runtime, started);
  const { withheld, keptPaths, mayCreate } = ruledBy(started);
  const context: ToolContext = {
    worldId: invocation.worldId,
    agentId: invocation.agentId,
    chatId: invocation.chatId,
    invocationId: invocation.id,
    workingDirectory: place.workingDirectory,
    ...(withheld === undefined ? {} : { withheld }),
    // Most tools start no program: worked out only for one that does.
    get keptPaths() {
      return keptPaths();
    },
    ...(mayCreate === undefined ? {} : { mayCreate }),
    ...(place.grants === undefined ? {} : { sandboxGrants: place.grants }),
    ...(fingerprint === undefined ? {} : { fingerprint }),
    signal,
    output: output.write,
    ask: questions.ask,
    world: openWorldDoor(runtime, invocation),
  };
  runtime.probe('before tool-execution');
  try {
    // A tool that ignores its signal must not hold up a stop; whatever it still does, it can't settle its call any more.
    const result = await untilAborted(() => tool.execute(value, context), signal);
    return { kind: 'succeeded', result };
  } catch (error) {
    if (error instanceof ToolFailure && error.outcomeUnknown)
      return { kind: 'unknown', error: wordsOf(error), outcome: 'unknown' };
    const result = error instanceof ToolFailure && error.result !== undefined ? { result: error.result } : {};
    return { kind: 'failed', error: wordsOf(error), ...result };
  } finally {
    output.end();
    runtime.probe('after tool-execution');
  }
}

function ruledBy({ invocation, tool, value, place, snapshot, because }: Started): {
  withheld: ToolContext['withheld'];
  keptPaths: () => ToolContext['keptPaths'];
  mayCreate: ToolContext['mayCreate'];
} {
  const read = { toolName: invocation.toolName, tool, argumentsText: '', arguments: { ok: true as const, value } };
  const policies = {
    admin: snapshot.adminPolicy,
    world: snapshot.policy,
    agent: snapshot.agentPolicy(invocation.agentId),
  };
  const call = toPolicyCall(read, place);
  const isUnseen = snapshot.world.settings.mode === 'auto' && because !== 'decision';
  return {
    withheld: withholdPaths(policies, call),
    keptPaths: () => keepPaths(policies, call),
    mayCreate: isUnseen ? namesPath(policies, place) : undefined,
  };
}

/** Output goes to people as it comes, masked; late output of a finished call goes nowhere. */
function outputOf(runtime: Runtime, { invocation }: Started): { write: ToolContext['output']; end: () => void } {
  const maskers = new Map<'stdout' | 'stderr', ReturnType<typeof createChunkMasker>>();
  let ended = false;
  const send = (stream: 'stdout' | 'stderr', content: string): void => {
    if (content === '') return;
    runtime.bus.publishUnstored(invocation.worldId, invocation.chatId, {
      event: 'tool-output',
      data: { invocation_id: invocation.id, stream, content },
    });
  };
  return {
    write(text, stream = 'stdout') {
      if (ended) return;
      const masker = maskers.get(stream) ?? createChunkMasker();
      maskers.set(stream, masker);
      send(stream, masker.push(textOf(text)));
    },
    end() {
      ended = true;
      for (const [stream, masker] of maskers) send(stream, masker.end());
    },
  };
}
