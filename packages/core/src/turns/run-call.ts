import { setImmediate } from 'node:timers/promises';
import { CountersignError } from '@countersign/protocol';
import { NotReported, ToolFailure, type CallRecord, type ToolContext, type TurnRecord } from '../ports/index.js';
import { createChunkMasker, maskArguments, maskResult } from '../masking/index.js';
import { namesPath } from '../policy/index.js';
import { askQuestion } from '../decisions/ask-question.js';
import { collectAttachments, createOwnSecretStream, type AttachmentCollector } from '../results/index.js';
import { commit } from '../step/commit.js';
import type { Runtime, StartedCall, Situation } from '../step/runtime.js';
import { rulesAbout } from '../evidence/rules-about.js';
import { policiesOf } from '../memory/world-snapshot.js';
import { expireQuestions, frameSettlement, settleCall } from '../call/settle.js';
import type { Settlement } from '../facts/fact.js';
import { resumeTurn, readSituation } from '../step/move-turn.js';
import { pauseFor, untilAborted } from '../ports/until-aborted.js';
import { textOf, errorMessage } from '../ports/error-message.js';
import { openWorldHandle } from '../worlds/world-handle.js';

/**
 * Runs a started call and writes its result. Never rejects because of the tool: a tool error is a result (TURN11). Returns the situation
 * afterwards, or undefined if nothing was written.
 */
export async function runCall(
  runtime: Runtime,
  turn: TurnRecord,
  started: StartedCall,
  signal: AbortSignal,
): Promise<Situation | undefined> {
  // If the process froze since the start step, another process may already have settled the call as unknown.
  if (!runtime.process.mayAct()) {
    await started.hold?.release();
    await requeueCall(runtime, turn, started.record);
    return undefined;
  }
  const began = performance.now();
  const stored = await storedBytes(runtime, started.record);
  const attached = collectAttachments(() => runtime.ownSecrets().filter((secret) => secret !== ''), stored);
  const settlement = await executeAndRelease(runtime, started, attached, signal);
  const files = attached.files();
  measureTool(runtime, started, settlement, performance.now() - began);
  const content = await frameFirst(runtime, started.record, settlement);
  // Stopped: the stop has already settled the call. Shutting down: the next startup settles it as unknown.
  if (signal.aborted) return undefined;
  return await writeEnd(runtime, turn, started, { settlement, content, files }, signal);
}

/** Masking a text of this length takes a few milliseconds. */
const LONG_CHARACTERS = 16 * 1024;

/** Formats and masks a long result before the step that writes it, yielding to the event loop in between. */
async function frameFirst(runtime: Runtime, invocation: CallRecord, settlement: Settlement): Promise<string> {
  const content = frameSettlement(runtime, invocation, settlement);
  if (content.length <= LONG_CHARACTERS) return content;
  await setImmediate();
  maskResult(content, maskArguments(invocation.arguments).secrets);
  await setImmediate();
  return content;
}

function measureTool(runtime: Runtime, { record: invocation }: StartedCall, { kind }: Settlement, ms: number): void {
  const outcome = kind === 'not-reported' ? 'succeeded' : kind === 'succeeded' || kind === 'unknown' ? kind : 'failed';
  const { id: invocationId, worldId, turnId, toolName: tool } = invocation;
  runtime.measure({ kind: 'tool', worldId, turnId, invocationId, tool, outcome, ms });
}

/** Requeues a call that hasn't run, so that the next owner of the turn starts it. Does nothing if the turn was taken over. */
async function requeueCall(runtime: Runtime, turn: TurnRecord, invocation: CallRecord): Promise<void> {
  await commit(runtime, 'requeue-call', turn.worldId, { chats: [turn.chatId] }, (step) => {
    if (step.tx.turn(turn.id)?.epoch !== turn.epoch || step.tx.invocation(invocation.id)?.status !== 'started') return;
    step.tx.write({ kind: 'call-requeued', chatId: turn.chatId, callId: invocation.id });
  });
}

const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 30_000;

/** The end of a call that this process ran. */
interface CallEnd {
  settlement: Settlement;
  /** The result for the model. */
  content: string;
  files: ReturnType<AttachmentCollector['files']>;
}

/** The size of the files in the chat. Only MCP servers are limited (TURN16.3), so other calls don't read it. */
async function storedBytes({ store }: Runtime, { toolName, chatId }: CallRecord): Promise<number> {
  if (!toolName.startsWith('mcp__')) return 0;
  // If the store is unavailable, the call must not fail because of its size.
  return await store.read((reader) => reader.attachmentBytes(chatId)).catch(() => 0);
}

async function storeFiles(runtime: Runtime, { worldId, chatId }: CallRecord, files: CallEnd['files']): Promise<void> {
  if (files.length === 0) return;
  await runtime.store.transact(worldId, async (tx) => {
    for (const file of files) await tx.insertAttachment({ chatId, ...file });
  });
}

/** Retries until the store is available (full disk, lost connection): only this process knows the result of the tool. */
async function writeEnd(
  runtime: Runtime,
  turn: TurnRecord,
  { record: invocation }: StartedCall,
  end: CallEnd,
  signal: AbortSignal,
): Promise<Situation | undefined> {
  for (let pause = FIRST_RETRY_MS; ; pause = Math.min(pause * 2, LONGEST_RETRY_MS)) {
    try {
      // Before the result that refers to them. If the process dies in between, they are deleted with the chat.
      await storeFiles(runtime, invocation, end.files);
      return await settleStarted(runtime, turn, invocation, end);
    } catch (error) {
      // The world was deleted, so the result can't be stored.
      if (signal.aborted || (error instanceof CountersignError && error.code === 'not-found')) return undefined;
      runtime.report(error, `failed to write the result of ${invocation.toolName}; retrying`, {
        worldId: turn.worldId,
        turnId: turn.id,
        invocationId: invocation.id,
      });
    }
    await pauseFor(runtime.clock, pause, signal).catch(() => undefined);
    if (signal.aborted) return undefined;
  }
}

/** Writes the result of a call that this process ran. */
async function settleStarted(
  runtime: Runtime,
  turn: Pick<TurnRecord, 'id' | 'worldId' | 'epoch'>,
  invocation: CallRecord,
  { settlement, content }: CallEnd,
): Promise<Situation | undefined> {
  return await commit(runtime, 'settle-invocation', turn.worldId, { chats: [invocation.chatId] }, (step) => {
    if (step.tx.turn(turn.id)?.epoch !== turn.epoch || step.tx.invocation(invocation.id)?.status !== 'started') {
      return undefined;
    }
    // The tool asked a question and didn't wait for the answer.
    expireQuestions(step, invocation);
    settleCall(runtime, step, invocation, settlement, content);
    resumeTurn(runtime, step, turn.id);
    const current = step.tx.turn(turn.id);
    return current === undefined ? undefined : readSituation(step.tx, current, step.snapshot);
  });
}

async function executeAndRelease(...about: Parameters<typeof execute>): Promise<Settlement> {
  try {
    return await execute(...about);
  } finally {
    const [, { hold }] = about;
    await hold?.release();
  }
}

async function execute(
  runtime: Runtime,
  started: StartedCall,
  attached: AttachmentCollector,
  signal: AbortSignal,
): Promise<Settlement> {
  const { record: invocation, tool, value, place, fingerprint } = started;
  const output = outputOf(runtime, started);
  const { withheld, protectedPaths, mayCreate } = ruledBy(started);
  const vendorIds = tool.external === true ? await vendorIdsOf(runtime, invocation) : undefined;
  const vendorId = vendorIds?.[invocation.position];
  let attempts = 1;
  const context: ToolContext = {
    worldId: invocation.worldId,
    agentId: invocation.agentId,
    chatId: invocation.chatId,
    invocationId: invocation.id,
    ...(vendorId === undefined ? {} : { vendorId }),
    ...(vendorIds === undefined ? {} : { openCalls: () => openCalls(runtime, invocation, vendorIds) }),
    workingDirectory: place.workingDirectory,
    ...(withheld === undefined ? {} : { withheld }),
    get protectedPaths() {
      return protectedPaths();
    },
    ...(mayCreate === undefined ? {} : { mayCreate }),
    ...(place.grants === undefined ? {} : { sandboxGrants: place.grants }),
    ...(fingerprint === undefined ? {} : { fingerprint }),
    ...(started.hold === undefined ? {} : { hold: started.hold }),
    again: () => void (attempts += 1),
    signal,
    output: output.write,
    attach: (file) => attached.attach(file),
    ask: (question) => askQuestion(runtime, started, question, signal),
    world: openWorldHandle(runtime, invocation),
  };
  runtime.probe('before tool-execution');
  try {
    // A tool that ignores its signal must not block a stop; its late result is dropped.
    const run = started.applyTogether ?? (() => tool.execute(value, context));
    const result = await untilAborted(run, signal);
    return { kind: 'succeeded', result, attachments: [...attached.list()], ...(attempts > 1 ? { attempts } : {}) };
  } catch (error) {
    if (error instanceof NotReported) return { kind: 'not-reported' };
    if (error instanceof ToolFailure && error.outcomeUnknown)
      return { kind: 'unknown', error: errorMessage(error), outcome: 'unknown' };
    const { result, conflict } = error instanceof ToolFailure ? error : {};
    return {
      kind: 'failed',
      error: errorMessage(error),
      ...(result === undefined ? {} : { result }),
      attachments: [...attached.list()],
      ...(conflict === true ? { conflict } : {}),
      ...(attempts > 1 ? { attempts } : {}),
    };
  } finally {
    output.end();
    runtime.probe('after tool-execution');
  }
}

/** The ids that the provider gave the calls of this answer. Undefined if the store can't be read; the tool then refuses to run. */
async function vendorIdsOf({ store }: Runtime, { messageId }: CallRecord): Promise<readonly string[] | undefined> {
  const message = await store.read((reader) => reader.message(messageId)).catch(() => undefined);
  return message?.providerState?.vendorIds;
}

async function openCalls(
  { store }: Runtime,
  { turnId, iteration, messageId }: CallRecord,
  vendorIds: readonly string[],
): Promise<readonly string[]> {
  const calls = await store.read((reader) => reader.invocations(turnId, iteration));
  const open = calls.filter((call) => call.messageId === messageId && call.settledAt === null);
  return open.flatMap(({ position }) => vendorIds[position] ?? []);
}

function ruledBy({ record: invocation, place, policyCall, snapshot, gate: { because, byEffect } }: StartedCall): {
  withheld: ToolContext['withheld'];
  protectedPaths: () => ToolContext['protectedPaths'];
  mayCreate: ToolContext['mayCreate'];
} {
  // A rule that names the paths a command may write stands for a person who saw them.
  const isSeen = because === 'decision' || (because === 'rule' && byEffect === true);
  const isUnseen = snapshot.world.settings.mode === 'auto' && !isSeen;
  return {
    ...rulesAbout(snapshot, invocation.agentId, policyCall),
    mayCreate: isUnseen ? namesPath(policiesOf(snapshot, invocation.agentId), place) : undefined,
  };
}

/** Streams masked output to people. Output after the end of a call is dropped. */
function outputOf(
  runtime: Runtime,
  { record: invocation }: StartedCall,
): { write: ToolContext['output']; end: () => void } {
  const open = () => ({ own: createOwnSecretStream(runtime.ownSecrets()), masker: createChunkMasker() });
  const streams = new Map<'stdout' | 'stderr', ReturnType<typeof open>>();
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
      const opened = streams.get(stream) ?? open();
      streams.set(stream, opened);
      send(stream, opened.own.push(opened.masker.push(textOf(text))));
    },
    end() {
      ended = true;
      for (const [stream, { own, masker }] of streams) send(stream, own.push(masker.end()) + own.end());
    },
  };
}
