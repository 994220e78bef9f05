import { CountersignError, EXTERNAL_PROVIDER, whosText, type Who } from '@countersign/protocol';
import { requesterOf, requestersOf } from '../requirements/needed-signatures.js';
import { placeOutside, type StoredExternalCall } from '../step/place.js';
import { gateNeeds, gateProposal, saysWhoSigns } from '../call/gate.js';
import { writeProposal } from '../call/ask.js';
import { limitWaiting } from '../call/limit-waiting.js';
import { isAsSeen, letOthersRun, prepareProposal, withQuestion } from '../call/prepare.js';
import type { PreparedCall } from '../evidence/prepared-call.js';
import { parseCall, refreshTool, refuseMasked, toToolCall } from '../call/parse.js';
import { markStarted } from '../call/start.js';
import { isExternal, type WorldSnapshot } from '../memory/world-snapshot.js';
import type { CallRecord, RunBy, TurnRecord } from '../ports/index.js';
import { canonicalJson } from '../policy/index.js';
import { newChat } from '../chats/create-chat.js';
import { agentIn, commit, noWorld, readSnapshot } from '../step/commit.js';
import { dropRehearsal } from '../step/drop-rehearsal.js';
import { newTurn, resumeTurn } from '../step/move-turn.js';
import type { Runtime, Step } from '../step/runtime.js';
import { sessionText, tellersOf } from '../facts/program-session.js';
import { titleFrom } from '../facts/title-from.js';
import { newId } from '../turn/ids.js';
import { noteContext } from './session-sentence.js';
import { callerHash, type ExternalCaller } from './session.js';

type ProgramRun = Omit<StoredExternalCall, 'caller'>;

/** A call that an external program proposes as one of a world's agents (EXT1). */
export interface ExternalProposal {
  agentId: string;
  /** The program's session. Each has its own chat. */
  session: string;
  /** Names the call in its session. */
  key: string;
  program: string;
  toolName: string;
  arguments: Readonly<Record<string, unknown>>;
  /** The title of the chat, if the session has none yet and doesn't say what it was asked for. */
  title: string;
  /**
   * `program`: the program runs the call itself after it has claimed it. `here`: this server runs it, like a model's call. `sealed`: the server itself
   * proposes it, to apply an effect that it has sealed.
   */
  runs: ({ where: 'program' } & ProgramRun) | { where: 'here'; sealed?: true };
  /** Those who requested the call besides the caller. */
  alsoBy?: readonly Who[];
  /** If it aborts before the call is written, the proposal is refused. */
  signal: AbortSignal;
}

interface NewCall {
  proposal: ExternalProposal;
  caller: ExternalCaller;
  chatId: string;
  id: string;
  hasChat: boolean;
}

interface WrittenCall {
  /** The call, if a rule or grant allows it and its program runs it: it starts in the step that writes it. */
  started: CallRecord | undefined;
}

/** Undefined if a call with this key has been written in the meantime. */
export async function writeExternal(
  runtime: Runtime,
  worldId: string,
  call: NewCall,
): Promise<WrittenCall | undefined> {
  const { proposal, chatId, id, hasChat } = call;
  const { agentId, toolName, runs, signal } = proposal;
  const snapshot = await readSnapshot(runtime, worldId);
  if (snapshot === undefined) throw noWorld(worldId);
  refuseUnable(agentIn(snapshot, agentId, 'agent').definition.active && isExternal(snapshot, agentId), agentId);
  const missing = runs.where === 'here' ? await refreshTool(runtime, worldId, toolName, signal) : undefined;
  const found = runtime.tools(worldId).get(toolName);
  // A call that the program runs has one of its tools, and a call that runs here has one of ours.
  const isItsKind = (found?.external === true) === (runs.where === 'program');
  const isSealed = runs.where === 'here' && runs.sealed === true;
  const tool = isItsKind && (found?.byServer === true) === isSealed ? found : undefined;
  const place = runtime.findPlace(snapshot);
  const argumentsText = canonicalJson(proposal.arguments);
  await letOthersRun({ argumentsText });
  const read = refuseMasked(parseCall(tool, toolName, argumentsText));
  if (!read.arguments.ok && read.argumentsText.length >= LONG_REFUSED)
    throw new CountersignError('invalid', `arguments: ${read.arguments.error}`, { field: 'arguments' });
  await letOthersRun(read);
  const proposed = await prepareProposal(runtime, read, {
    worldId,
    chatId,
    agentId,
    id,
    place: runs.where === 'program' ? placeOutside(place, runs) : place,
    problem: missing,
    signal,
  });
  await letOthersRun(read);
  // An ACP agent knows only a yes and a no, so its calls never ask.
  const prepared = runs.where === 'program' ? withQuestion(proposed, tool?.asks) : proposed;
  const people = saysWhoSigns(snapshot, agentId) ? { people: true } : {};
  const needs = { chats: hasChat ? [chatId] : [], pendingOf: agentId, ...people, ...gateNeeds([prepared]) };
  let written: WrittenCall | undefined;
  try {
    written = await commit(runtime, 'propose', worldId, needs, (step) => {
      signal.throwIfAborted();
      refuseUnable(isExternal(step.snapshot, agentId), agentId);
      return writeStep(runtime, step, call, { prepared, snapshot });
    });
    return written;
  } finally {
    if (written === undefined && prepared.signed?.rehearsal) dropRehearsal(runtime, tool, id);
  }
}

/** A longer call that can't run isn't stored: each one added several megabytes that nobody needs. */
const LONG_REFUSED = 16 * 1024;

function refuseUnable(isAble: boolean, agentId: string): void {
  if (isAble) return;
  const detail = `agent: "${agentId}" is not an active external agent. Only external agents propose calls`;
  throw new CountersignError('invalid', detail, { field: 'agent' });
}

function writeStep(
  runtime: Runtime,
  step: Step,
  { proposal, caller, chatId, id, hasChat }: NewCall,
  { prepared, snapshot }: { prepared: PreparedCall; snapshot: WorldSnapshot },
): WrittenCall | undefined {
  const { tx } = step;
  const { agentId, program, runs, key } = proposal;
  const { context } = runs.where === 'program' ? runs : {};
  const title = titleFrom(context?.prompt ?? '') ?? proposal.title;
  if (!hasChat) {
    const session = newSession(runtime, proposal, caller);
    tx.write({ kind: 'chat-created', chat: newChat(step, { id: chatId, title, titled: true, session }) });
  }
  const chat = tx.chat(chatId);
  if (chat === undefined) throw new CountersignError('not-found', 'the chat of this session was deleted');
  const known = tx.invocation(id);
  if (known !== undefined) return undefined;
  const gate = limitWaiting(tx, agentId)(gateProposal(step, prepared));
  if (context !== undefined)
    noteContext(step, chatId, { agentId, context, isFirst: !hasChat, isAsked: gate.kind === 'ask' });
  const messageId = newId('msg');
  const joined = joinTurn(step, {
    chatId,
    agentId,
    requesters: [caller.by.who, ...(proposal.alsoBy ?? []), ...tellersOf(chat)],
  });
  const turn = 'id' in joined ? joined : openTurn(runtime, step, { chatId, agentId, messageId, ...joined });
  const message = tx.newMessage(chatId, {
    id: messageId,
    role: 'assistant',
    sender: agentId,
    speaker: 'agent',
    content: '',
    toolCalls: [toToolCall(id, prepared.call)],
    agentId,
    turnId: turn.id,
    iteration: 1,
    providerState: {
      provider: EXTERNAL_PROVIDER,
      model: program,
      usage: NO_USAGE,
      vendorIds: [key],
      ...(runs.where === 'program' ? { state: { ...storedState(runs), caller: callerHash(runtime, caller) } } : {}),
    },
  });
  if (!('id' in joined)) tx.write({ kind: 'model-answered', chatId, turnId: turn.id, usage: NO_USAGE, message });
  else tx.write({ kind: 'message-sent', message });
  const runBy: RunBy = runs.where;
  const position = tx.invocations(turn).reduce((next, call) => Math.max(next, call.position + 1), 0);
  writeProposal(runtime, step, prepared, gate, { turn, iteration: 1, position, messageId, runBy });
  // Otherwise, the program's claim reads the call again, judges it and starts it.
  const mayStart = runBy === 'program' && runtime.process.mayAct() && isAsSeen(runtime, step, snapshot, [prepared]);
  const call = mayStart && gate.kind === 'run' ? tx.invocation(id) : undefined;
  const started =
    call === undefined || gate.kind !== 'run'
      ? undefined
      : markStarted(runtime, step, turn, call, prepared, gate).record;
  if (resumeTurn(runtime, step, turn.id)) runtime.dispatch.wake(step, turn.id);
  return { started };
}

const NO_USAGE = { inputTokens: 0, outputTokens: 0 };

function storedState({ cwd, realCwd, reports, waits, context }: ProgramRun): ProgramRun {
  const said = context === undefined ? {} : { context };
  const folder = { ...(cwd === undefined ? {} : { cwd }), ...(realCwd === undefined ? {} : { realCwd }) };
  return { reports, ...folder, ...said, ...(waits === undefined ? {} : { waits }) };
}

/** Null for a program that runs nothing itself: it has no hooks that could get a sentence (EXT1.23). */
function newSession(runtime: Runtime, { agentId, runs }: ExternalProposal, caller: ExternalCaller): string | null {
  if (runs.where === 'here') return null;
  return sessionText({ agentId, caller: callerHash(runtime, caller), tellers: [], sentence: null });
}

/** The turn that a call joins, or the requesters of a new one. A turn whose calls have ended but which has other requesters ends here. */
function joinTurn(
  { tx }: Step,
  { chatId, agentId, requesters }: { chatId: string; agentId: string; requesters: readonly Who[] },
): TurnRecord | { requester: string } {
  const current = tx.currentTurn(chatId, agentId);
  const requester = whosText(requesters);
  if (current === undefined) return { requester };
  const idsOf = (all: readonly Who[]): string => [...new Set(all.map(({ id }) => id))].join('\n');
  if (idsOf(requestersOf(current)) === idsOf(requesters)) return current;
  if (requesterOf(current)?.id !== requesters[0]?.id || tx.openCalls(current).length > 0)
    throw new CountersignError('conflict', 'this session belongs to someone else');
  tx.write({ kind: 'turn-ended', chatId, turnId: current.id, outcome: 'passed' });
  return { requester };
}

/** A turn without a trigger: the message that proposes its first call takes the place of one. */
function openTurn(
  runtime: Runtime,
  { tx }: Step,
  about: Pick<TurnRecord, 'chatId' | 'agentId' | 'requester'> & { messageId: string },
): TurnRecord {
  const { chatId, agentId, messageId, requester } = about;
  const seq = (tx.chat(chatId)?.lastSeq ?? 0) + 1;
  const message = { id: messageId, worldId: tx.worldId, chatId, seq, createdAt: tx.now() };
  const turn = newTurn(message, agentId, { requester, review: null });
  tx.write({ kind: 'turn-queued', turn });
  tx.write({ kind: 'turn-opened', chatId, turnId: turn.id, begunSeq: seq, owner: runtime.dispatch.owner });
  return tx.turn(turn.id) ?? turn;
}
