import { isDeepStrictEqual } from 'node:util';
import {
  modelSettings,
  prepareAnswer,
  type CallContext,
  type PreparedAnswer,
  type Speaker,
} from '@countersign/protocol';
import { needsSlices, maskSecrets } from '../masking/index.js';
import { addFiles, hasFiles } from '../memory/add-files.js';
import { prepareMessagesForLLM, type PreparedView } from '../memory/prepare-messages-for-llm.js';
import { acpOf, type WorldSnapshot } from '../memory/world-snapshot.js';
import type {
  AgentRecord,
  GenerateRequest,
  LLMResponse,
  MessageRecord,
  ModelMessage,
  Provider,
  StoreReader,
  TurnRecord,
} from '../ports/index.js';
import { errorMessage } from '../ports/error-message.js';
import { maskLongTexts } from '../publishers/mask-long-texts.js';
import { prepareTools } from '../call/parse.js';
import { commit, readSnapshot } from '../step/commit.js';
import { endWithError, openNext, queueTurns } from '../step/move-turn.js';
import type { LiveAnswer, CallPlace, Runtime, Situation, Step } from '../step/runtime.js';
import { TurnLost } from '../step/scheduler.js';
import { untilAborted } from '../ports/until-aborted.js';
import { noteLeftOut } from './note-left-out.js';
import { keepStopped } from '../chats/stop-chat.js';
import { newId } from '../turn/ids.js';
import { explainFailure, generate, readResponse, streamTo } from './generate.js';
import { answerMessage, handleToolCalls, type ModelAnswer, type WrittenCalls } from './handle-tool-calls.js';

/** The outcome of a model call. `reload`: the caller must read the state of the turn from the store. */
type Answered = { kind: 'ended' } | { kind: 'reload' } | ({ kind: 'calls' } & WrittenCalls);

/** Makes one model call in a turn and handles the answer. A failure ends the turn with a message and loses nothing (MODEL4). */
export async function callModel(
  runtime: Runtime,
  { turn, snapshot }: Pick<Situation, 'turn' | 'snapshot'>,
  signal: AbortSignal,
): Promise<Answered> {
  const prepared = await prepareRequest(runtime, turn, snapshot, signal);
  if (!prepared.ok) {
    await failTurn(runtime, turn, prepared.error);
    return { kind: 'reload' };
  }
  const { provider, request, agentName } = prepared;
  const from = { messageId: newId('msg'), provider: provider.name, model: request.model };
  const stream = streamTo(runtime, turn, from.messageId, agentName, request.stream);
  const live: LiveAnswer = { epoch: turn.epoch, read: () => stream.read(from) };
  // Until the answer is written, a stop keeps what people have seen of it (WORLD9.3).
  runtime.running.answers.set(turn.id, live);
  try {
    let response: LLMResponse;
    try {
      const answer = await generate(runtime, turn, { provider, request, stream }, signal);
      response = readResponse(answer, provider.price?.(request.model));
    } catch (error) {
      stream.end({ type: 'error', content: maskSecrets(errorMessage(error)) });
      // Stopped or shutting down: the code that aborted the call writes the end of the turn.
      if (signal.aborted) await keepPartial(runtime, turn, live, signal);
      else await failTurn(runtime, turn, explainFailure(error, agentName, provider.name));
      return { kind: 'reload' };
    }
    // Tool events follow only after the stream of the response that requested them has ended (TURN12).
    stream.end({ type: 'end', usage: response.usage });
    runtime.probe('after model-call');
    return await handleResponse(runtime, turn, { ...from, response, trigger: prepared.trigger }, signal);
  } finally {
    if (runtime.running.answers.get(turn.id) === live) runtime.running.answers.delete(turn.id);
  }
}

async function handleResponse(
  runtime: Runtime,
  turn: TurnRecord,
  answer: ModelAnswer<LLMResponse> & Pick<TextAnswer, 'trigger'>,
  signal: AbortSignal,
): Promise<Answered> {
  const { response } = answer;
  if (response.type === 'text') {
    const ended = await handleTextResponse(runtime, turn, { ...answer, response });
    return { kind: ended ? 'ended' : 'reload' };
  }
  const here = await findPlace(runtime, turn);
  if (here === undefined) return { kind: 'reload' };
  if (!here.ok) {
    await failTurn(runtime, turn, here.error);
    return { kind: 'reload' };
  }
  // What people asked and the agent said is beside its calls on a card, as with programs that propose theirs (EXT3.15).
  const isAcp = acpOf(here.snapshot, turn.agentId) !== undefined;
  const place = isAcp ? { ...here.place, ...contextOf(answer.trigger?.content, response.content) } : here.place;
  const written = await handleToolCalls(runtime, turn, { ...answer, response, ...here, place, signal });
  return written === undefined ? { kind: 'reload' } : { kind: 'calls', ...written };
}

function contextOf(prompt = '', said: string): Pick<CallPlace, 'context'> {
  const given = Object.entries({ prompt, said }).map(([name, text]) => [name, text.trim().slice(0, CONTEXT_LENGTH)]);
  const context = Object.fromEntries(given.filter(([, text]) => text !== '')) as CallContext;
  return Object.keys(context).length === 0 ? {} : { context };
}

/** As long as what a program may send. */
const CONTEXT_LENGTH = 4_000;

/** Stores a partial answer that another process stopped; one that this process stopped is stored. Never rejects: the turn has ended. */
async function keepPartial(runtime: Runtime, turn: TurnRecord, live: LiveAnswer, signal: AbortSignal): Promise<void> {
  const reason: unknown = signal.reason;
  const partial = live.read();
  if (!(reason instanceof TurnLost) || partial === undefined || runtime.running.answers.get(turn.id) !== live) return;
  const { worldId, id: turnId } = turn;
  await keepStopped(runtime, turn, partial, reason.by).catch((error: unknown) =>
    runtime.report(error, 'lost the partial answer of a stopped turn', { worldId, turnId }),
  );
}

/** Called after the model has answered, which may take minutes: people may have changed or replaced the world's folder in the meantime (CALL7). */
async function findPlace(
  runtime: Runtime,
  { worldId }: TurnRecord,
): Promise<{ ok: true; place: CallPlace; snapshot: WorldSnapshot } | { ok: false; error: string } | undefined> {
  const snapshot = await readSnapshot(runtime, worldId, { recent: true });
  // The world was deleted, and its turns with it.
  if (snapshot === undefined) return undefined;
  try {
    return { ok: true, place: runtime.findPlace(snapshot), snapshot };
  } catch (error) {
    return { ok: false, error: unusable(error) };
  }
}

async function prepareRequest(runtime: Runtime, turn: TurnRecord, snapshot: WorldSnapshot, signal: AbortSignal) {
  const learning = learnModel(runtime, turn, snapshot);
  if (learning !== undefined) await untilAborted(() => learning, signal).catch(() => undefined);
  const read = await readKnown(runtime, turn, snapshot, signal);
  if (read === undefined)
    return { ok: false as const, error: 'The agent was removed from this world. Send your message to another agent.' };
  const { name, provider: wanted, model } = read.agent.definition;
  const { contextTokens: _, ...settings } = modelSettings(read.agent.definition);
  if (read.provider === undefined) {
    return {
      ok: false as const,
      error: `${name} uses the provider "${wanted}", which is not set up here. Set it up, or choose another provider for ${name}.`,
    };
  }
  const { exceeded } = read.view;
  if (exceeded !== undefined) await noteLeftOut(runtime, turn, name, exceeded);
  const session = sessionOf(runtime, turn, read);
  if (typeof session === 'string') return { ok: false as const, error: session };
  const request: Omit<GenerateRequest, 'signal' | 'onChunk' | 'onThinking'> = {
    purpose: 'answer',
    model,
    messages: await withFiles(runtime, turn, read.view.messages),
    tools: read.view.tools,
    stream: read.snapshot.world.settings.streaming,
    ...settings,
    ...session,
  };
  return { ok: true as const, provider: read.provider, request, agentName: name, trigger: read.view.trigger };
}

/** Undefined if the provider has nothing to ask, so that most calls don't wait. */
function learnModel(runtime: Runtime, { agentId }: TurnRecord, snapshot: WorldSnapshot): Promise<void> | undefined {
  const { provider, model } = snapshot.agent(agentId)?.definition ?? {};
  return provider === undefined || model === undefined
    ? undefined
    : runtime.providers.get(provider)?.learnModel?.(model);
}

/** For an ACP agent, where its session takes place (EXT3). Returns a message if the working folder isn't usable. */
function sessionOf(
  runtime: Runtime,
  { worldId, chatId, agentId, id: turnId }: TurnRecord,
  { agent, snapshot }: View,
): Pick<GenerateRequest, 'session'> | string {
  const { acp } = agent.definition;
  if (acp === undefined) return {};
  try {
    const { workingDirectory } = runtime.findPlace(snapshot);
    const isCurrent = async (): Promise<boolean> => {
      const agents = await runtime.store.read((reader) => reader.agents(worldId));
      const now = agents.find(({ id }) => id === agentId)?.definition;
      return now?.active === true && isDeepStrictEqual(now.acp, acp);
    };
    return { session: { worldId, chatId, agentId, turnId, workingDirectory, acp, isCurrent } };
  } catch (error) {
    return unusable(error);
  }
}

function unusable(error: unknown): string {
  return `The working folder is not usable: ${errorMessage(error)}`;
}

/** Images are read for each call and kept nowhere: a cache of them would soon fill the memory. */
async function withFiles(
  { store }: Runtime,
  { chatId }: TurnRecord,
  messages: readonly ModelMessage[],
): Promise<readonly ModelMessage[]> {
  if (!hasFiles(messages)) return messages;
  return await store.read((reader) => addFiles(reader, chatId, messages));
}

/** Reads again if another process has just added the agent's provider. */
async function readKnown(runtime: Runtime, turn: TurnRecord, snapshot: WorldSnapshot, signal: AbortSignal) {
  const read = await readView(runtime, turn, snapshot, signal);
  if (read === undefined || read.provider !== undefined) return read;
  const found = await runtime.providers.find(read.agent.definition.provider);
  return found === undefined ? read : await readView(runtime, turn, snapshot, signal);
}

/**
 * The messages and tools for a model call. If tools must start first, reads again and lists those that are `missing`: a model that isn't told
 * would make up a reason. Undefined if the agent no longer exists.
 */
async function readView(
  runtime: Runtime,
  turn: TurnRecord,
  snapshot: WorldSnapshot | undefined,
  signal: AbortSignal,
  missing?: readonly string[],
): Promise<View | { agent: AgentRecord; provider: undefined } | undefined> {
  // Fast path: if no other process writes, the messages are usually in memory and the snapshot is current.
  const isAlone = runtime.process.isAlone() && snapshot !== undefined;
  const known = isAlone ? await viewOf(runtime, turn, signal, { snapshot, missing }) : undefined;
  const read =
    known ??
    (await runtime.store.read(async (reader) => {
      if (missing === undefined) {
        // Sources first: a registration that is newer than this read must not look removed.
        for (const source of runtime.sources) await source.read?.(reader, turn.worldId);
      }
      const snapshot = await runtime.caches.snapshots.read(reader, turn.worldId);
      return snapshot === undefined ? 'gone' : await viewOf(runtime, turn, signal, { reader, snapshot, missing });
    }));
  if (read === undefined || read === 'gone') return undefined;
  return 'waitsFor' in read ? await readView(runtime, turn, undefined, signal, await read.waitsFor) : read;
}

/** Undefined if data must be read from the store but there is no reader. */
async function viewOf(
  runtime: Runtime,
  turn: TurnRecord,
  signal: AbortSignal,
  from: { reader?: StoreReader; snapshot: WorldSnapshot; missing: readonly string[] | undefined },
): Promise<
  View | { agent: AgentRecord; provider: undefined } | { waitsFor: Promise<readonly string[]> } | 'gone' | undefined
> {
  const { reader, snapshot, missing } = from;
  const agent = snapshot.agent(turn.agentId);
  if (agent === undefined) return 'gone';
  if (missing === undefined) {
    const wanted = turn.review === null ? agent.definition.tools : [];
    const waitsFor = prepareTools(runtime, turn.worldId, wanted, signal);
    // Don't wait here: this read holds a database connection.
    if (waitsFor !== undefined) return { waitsFor };
  }
  const provider = runtime.providers.get(agent.definition.provider);
  if (provider === undefined) return { agent, provider };
  const shown = { provider, tools: runtime.tools(turn.worldId).values(), missing: missing ?? [] };
  const view = await prepareMessagesForLLM(reader, runtime.caches.memory, snapshot, agent, turn, shown);
  return view === undefined ? undefined : { agent, provider, snapshot, view };
}

interface View {
  agent: AgentRecord;
  provider: Provider;
  snapshot: WorldSnapshot;
  view: PreparedView;
}

/** Ends a turn with an error message for people. */
export async function failTurn(runtime: Runtime, turn: TurnRecord, message: string): Promise<void> {
  await commit(runtime, 'turn-failed', turn.worldId, { chats: [turn.chatId] }, (step) =>
    endWithError(runtime, step, turn, 'failed', message),
  );
}

interface TextAnswer extends ModelAnswer<Extract<LLMResponse, { type: 'text' }>> {
  /** The message to answer; undefined if its chat was deleted. */
  trigger: MessageRecord | undefined;
}

/**
 * Publishes an agent's answer according to the mention rules (WORLD5), queues the turns of its addressees and ends the turn, all in one step.
 * Returns false and writes nothing if the turn was lost.
 */
async function handleTextResponse(runtime: Runtime, turn: TurnRecord, answer: TextAnswer): Promise<boolean> {
  const { response, trigger } = answer;
  await maskLongTexts([await predictContent(runtime, turn, answer)]);
  return await commit(runtime, 'answer', turn.worldId, { chats: [turn.chatId] }, (step) => {
    const { tx, snapshot } = step;
    const { chatId, id: turnId } = turn;
    if (tx.current(turn)?.state !== 'open') return false;
    const { content, agentIds: addressees, ended } = prepareText(snapshot, turn, response.content, trigger);
    const hasWords = content.trim() !== '';
    const message = hasWords ? answerMessage(step, turn, answer, { content, addressees }) : undefined;
    tx.write({ kind: 'model-answered', chatId, turnId, usage: response.usage, message });
    tx.write({ kind: 'turn-ended', chatId, turnId, outcome: hasWords ? 'answered' : 'passed' });
    if (message !== undefined) queueTurns(runtime, step, message, turn.requester);
    else if (!ended) noticeEmptyAnswer(step, turn);
    openNext(runtime, step, { chatId, agentId: turn.agentId });
    return true;
  });
}

function prepareText(
  snapshot: WorldSnapshot,
  { agentId, review }: TurnRecord,
  content: string,
  trigger: MessageRecord | undefined,
): PreparedAnswer {
  // A reviewer answers people only: another agent must not decide for it (SIGN3).
  if (review !== null) return { content, agentIds: [], ended: false };
  return prepareAnswer({ content, agentId, answering: speakerOf(trigger), agents: snapshot.addressable });
}

/** The text that will most likely be published. Masked before the step, because masking a long text takes too long inside it. */
async function predictContent(runtime: Runtime, turn: TurnRecord, { response, trigger }: TextAnswer): Promise<string> {
  if (!needsSlices(response.content)) return '';
  const snapshot = await readSnapshot(runtime, turn.worldId, { recent: true });
  return snapshot === undefined ? '' : prepareText(snapshot, turn, response.content, trigger).content;
}

/** Publishes a notice for an empty answer, because silence would look like a hang. */
function noticeEmptyAnswer(step: Step, turn: TurnRecord): void {
  const name = step.snapshot.agentName(turn.agentId);
  const message = `${name} returned an empty answer. Try again, or give more detail.`;
  step.tx.write({ kind: 'notice-shown', chatId: turn.chatId, message });
}

function speakerOf(trigger: MessageRecord | undefined): Speaker {
  if (trigger?.speaker === 'agent') return { kind: 'agent', agentId: trigger.sender };
  return { kind: trigger?.speaker === 'world' ? 'world' : 'human' };
}
