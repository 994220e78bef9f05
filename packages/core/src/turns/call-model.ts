import {
  ProviderError,
  type AgentRecord,
  type GenerateRequest,
  type LLMResponse,
  type Provider,
  type StoreReader,
  type TurnRecord,
} from '../ports/index.js';
import { maskSecrets } from '../masking/index.js';
import { prepareMessagesForLLM, type PreparedView } from '../memory/prepare-messages-for-llm.js';
import type { WorldSnapshot } from '../memory/world-snapshot.js';
import { newId } from '../turn/ids.js';
import { endWithError } from '../step/move-turn.js';
import type { Situation, Place, Runtime } from '../step/runtime.js';
import { handleTextResponse } from './handle-text-response.js';
import { handleToolCalls, type WrittenCalls } from './handle-tool-calls.js';
import { streamTo, TRIES, type ModelStream } from './model-stream.js';
import { readResponse } from './read-response.js';
import { commit, readSnapshot } from '../step/commit.js';
import { prepareTools } from '../calls/read-call.js';
import { pauseFor, untilAborted } from '../ports/until-aborted.js';
import { wordsOf } from '../ports/words-of.js';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;

/** The outcome of a model call. `look`: read the state of the turn from the store. */
export type Answered = { kind: 'ended' } | { kind: 'look' } | ({ kind: 'calls' } & WrittenCalls);

/** Makes one model call of a turn and handles its answer. A failure ends the turn with a message and loses nothing (P4). */
export async function callModel(
  runtime: Runtime,
  { turn, snapshot }: Pick<Situation, 'turn' | 'snapshot'>,
  signal: AbortSignal,
): Promise<Answered> {
  const prepared = await prepare(runtime, turn, snapshot, signal);
  if (!prepared.ok) {
    await failTurn(runtime, turn, prepared.error);
    return { kind: 'look' };
  }
  const { provider, request, agentName, trigger } = prepared;
  const messageId = newId('msg');
  const stream = streamTo(runtime, turn, messageId, agentName, request.stream);
  let response: LLMResponse;
  try {
    response = readResponse(await generate(runtime, turn, provider, request, stream, signal));
  } catch (error) {
    stream.end({ type: 'error', content: maskSecrets(wordsOf(error)) });
    // Stopped or shutting down: the code that aborted the call writes the end of the turn.
    if (signal.aborted) return { kind: 'look' };
    await failTurn(runtime, turn, explain(error, agentName, provider.name));
    return { kind: 'look' };
  }
  // Tool events follow only after the stream that requested them has ended (T12).
  stream.end({ type: 'end', usage: response.usage });
  runtime.probe('after model-call');
  const from = { messageId, provider: provider.name, model: request.model };
  if (response.type === 'text') {
    const ended = await handleTextResponse(runtime, turn, { ...from, response, trigger });
    return { kind: ended ? 'ended' : 'look' };
  }
  const here = await findPlace(runtime, turn);
  if (here === undefined) return { kind: 'look' };
  if (!here.ok) {
    await failTurn(runtime, turn, here.error);
    return { kind: 'look' };
  }
  const written = await handleToolCalls(runtime, turn, { ...from, response, ...here, signal });
  return written === undefined ? { kind: 'look' } : { kind: 'calls', ...written };
}

/** Looked up after the model call: it may take minutes, and people may move the world or swap its folder meanwhile (A7). */
async function findPlace(
  runtime: Runtime,
  { worldId }: TurnRecord,
): Promise<{ ok: true; place: Place; snapshot: WorldSnapshot } | { ok: false; error: string } | undefined> {
  const snapshot = await readSnapshot(runtime, worldId, { recent: true });
  // The world was deleted, and its turns with it.
  if (snapshot === undefined) return undefined;
  try {
    return { ok: true, place: runtime.findPlace(snapshot), snapshot };
  } catch (error) {
    return { ok: false, error: `The working folder is not usable: ${wordsOf(error)}` };
  }
}

async function prepare(runtime: Runtime, turn: TurnRecord, snapshot: WorldSnapshot, signal: AbortSignal) {
  const read = await readView(runtime, turn, snapshot, signal);
  if (read === undefined)
    return { ok: false as const, error: 'The agent was removed from this world. Send your message to another agent.' };
  const { name, provider: wanted, model, temperature, maxTokens } = read.agent.definition;
  if (read.provider === undefined) {
    return {
      ok: false as const,
      error: `${name} uses the provider "${wanted}", which is not set up here. Set it up or give ${name} another one.`,
    };
  }
  const request: Omit<GenerateRequest, 'signal' | 'onChunk'> = {
    purpose: 'answer',
    model,
    messages: read.view.messages,
    tools: read.view.tools,
    stream: read.snapshot.world.settings.streaming,
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
  };
  return { ok: true as const, provider: read.provider, request, agentName: name, trigger: read.view.trigger };
}

/**
 * The messages and tools for a model call. If tools must start first, reads again with those that are `missing`, because a model that
 * isn't told about them would invent a reason. Undefined if the agent is gone.
 */
async function readView(
  runtime: Runtime,
  turn: TurnRecord,
  snapshot: WorldSnapshot | undefined,
  signal: AbortSignal,
  missing?: readonly string[],
): Promise<View | { agent: AgentRecord; provider: undefined } | undefined> {
  // Fast path: a process that writes alone usually has the messages in memory, and its snapshot is current.
  const isAlone = runtime.isAlone() && snapshot !== undefined;
  const known = isAlone ? await viewOf(runtime, turn, signal, { snapshot, missing }) : undefined;
  const read =
    known ??
    (await runtime.store.read(async (reader) => {
      if (missing === undefined) {
        // Sources first: a registration that is newer than this read must not look removed.
        for (const source of runtime.sources) await source.read?.(reader, turn.worldId);
      }
      const snapshot = await runtime.snapshots.read(reader, turn.worldId);
      return snapshot === undefined ? 'gone' : await viewOf(runtime, turn, signal, { reader, snapshot, missing });
    }));
  if (read === undefined || read === 'gone') return undefined;
  return 'waitsFor' in read ? await readView(runtime, turn, undefined, signal, await read.waitsFor) : read;
}

/** Undefined if it must be read from the store but there is no reader. */
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
    const waitsFor = prepareTools(runtime, turn.worldId, agent.definition.tools, signal);
    // Don't wait here: this read holds a database connection.
    if (waitsFor !== undefined) return { waitsFor };
  }
  const provider = runtime.providers.get(agent.definition.provider);
  if (provider === undefined) return { agent, provider };
  const shown = { provider, tools: runtime.tools(turn.worldId).values(), missing: missing ?? [] };
  const view = await prepareMessagesForLLM(reader, runtime.memory, snapshot, agent, turn, shown);
  return view === undefined ? undefined : { agent, provider, snapshot, view };
}

interface View {
  agent: AgentRecord;
  provider: Provider;
  snapshot: WorldSnapshot;
  view: PreparedView;
}

/** Retries retryable failures after a pause, using the vendor's delay if it gave one (P4). */
async function generate(
  runtime: Runtime,
  { id: turnId, worldId }: TurnRecord,
  provider: Provider,
  request: Omit<GenerateRequest, 'signal' | 'onChunk'>,
  stream: ModelStream,
  signal: AbortSignal,
): Promise<LLMResponse> {
  for (let attempt = 1; ; attempt += 1) {
    const onChunk = stream.start(attempt);
    runtime.probe('before model-call');
    const began = performance.now();
    const measure = (outcome: 'answered' | 'failed'): void =>
      runtime.measure({
        kind: 'model',
        worldId,
        turnId,
        provider: provider.name,
        model: request.model,
        outcome,
        ms: performance.now() - began,
      });
    try {
      const response = await untilAborted(() => provider.generate({ ...request, signal, onChunk }), signal);
      measure('answered');
      return response;
    } catch (error) {
      if (!signal.aborted) measure('failed');
      if (signal.aborted || !(error instanceof ProviderError) || error.next !== 'retry' || attempt >= TRIES)
        throw error;
      const pause = error.retryAfterMs ?? FIRST_PAUSE_MS * 2 ** (attempt - 1);
      // If the vendor asks for a longer pause than a person would wait, fail instead of staying silent.
      if (pause > LONGEST_PAUSE_MS) throw error;
      await pauseFor(runtime.clock, pause, signal);
    }
  }
}

/** Ends a turn with an error message for people. */
export async function failTurn(runtime: Runtime, turn: TurnRecord, message: string): Promise<void> {
  await commit(runtime, 'turn-failed', turn.worldId, { chats: [turn.chatId] }, (step) =>
    endWithError(runtime, step, turn, 'failed', message),
  );
}

function explain(error: unknown, agent: string, provider: string): string {
  if (!(error instanceof ProviderError)) return `${agent} could not answer: ${wordsOf(error)}`;
  // The provider's message names the variable to set.
  if (error.kind === 'no-key') return `${agent} could not answer. No API key is set for ${provider}. ${wordsOf(error)}`;
  const what: Record<Exclude<ProviderError['kind'], 'no-key'>, string> = {
    auth: `${provider} rejected the API key. Check the key and send your message again.`,
    'rate-limited': `${provider} is rate limiting requests. Wait a moment and send your message again.`,
    overloaded: `${provider} is overloaded. Wait a moment and send your message again.`,
    'context-too-long': 'The conversation is too long for this model. Start a new chat or choose another model.',
    'bad-request': `${provider} rejected the request. Check the model and its settings.`,
    network: `Could not reach ${provider}. Check your connection and send your message again.`,
    aborted: 'The call was stopped.',
  };
  return `${agent} could not answer. ${what[error.kind]} (${wordsOf(error)})`;
}
