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
import { handleTextResponse } from './handle-text-response.js';
import { handleToolCalls, type WrittenCalls } from './handle-tool-calls.js';
import { streamTo, TRIES, type ModelStream } from './model-stream.js';
import { readResponse } from './read-response.js';
import { commit, readSnapshot } from '../step/commit.js';
import type { Place, Runtime } from '../step/runtime.js';
import type { Situation } from '../step/turn-state.js';
import { prepareTools } from '../step/tool-sources.js';
import { pauseFor, untilAborted } from '../ports/until-aborted.js';
import { wordsOf } from '../ports/words-of.js';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;

/** What a model call led to. `look`: see in the record how the turn stands. */
export type Answered = { kind: 'ended' } | { kind: 'look' } | ({ kind: 'calls' } & WrittenCalls);

/** One model call of a turn, and what its answer leads to. A failure ends the turn with a message and loses nothing (P4). */
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
    // Stopped or shutting down: who aborted has written, or will write, what becomes of the turn.
    if (signal.aborted) return { kind: 'look' };
    await failTurn(runtime, turn, explain(error, agentName, provider.name));
    return { kind: 'look' };
  }
  // Tool events come only after the stream that asked for them has ended (T12).
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

/** Where calls act, as of now: a model may think for minutes, and people move a world or swap its folder meanwhile (A7). */
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
    return { ok: false, error: `The working folder can't be used: ${wordsOf(error)}` };
  }
}

async function prepare(runtime: Runtime, turn: TurnRecord, snapshot: WorldSnapshot, signal: AbortSignal) {
  const read = await readView(runtime, turn, snapshot, signal);
  if (read === undefined)
    return { ok: false as const, error: 'The agent is no longer in this world, so nobody answers.' };
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
 * What a model is shown. Some tools may have to be started first: then it is looked again, with what is `missing`, since a model that is
 * not told would make up a reason. Undefined: the agent is not there.
 */
async function readView(
  runtime: Runtime,
  turn: TurnRecord,
  snapshot: WorldSnapshot | undefined,
  signal: AbortSignal,
  missing?: readonly string[],
): Promise<View | { agent: AgentRecord; provider: undefined } | undefined> {
  // Where this process writes alone, what is shown is mostly still in memory, and the world is as the last step or look has found it.
  const isAlone = runtime.isAlone() && snapshot !== undefined;
  const known = isAlone ? await viewOf(runtime, turn, signal, { snapshot, missing }) : undefined;
  const read =
    known ??
    (await runtime.store.read(async (reader) => {
      if (missing === undefined) {
        // First: an agent added later is in nothing that is read here, and must not count as removed.
        for (const source of runtime.sources) await source.read?.(reader, turn.worldId);
      }
      const snapshot = await runtime.snapshots.read(reader, turn.worldId);
      return snapshot === undefined ? 'gone' : await viewOf(runtime, turn, signal, { reader, snapshot, missing });
    }));
  if (read === undefined || read === 'gone') return undefined;
  return 'waitsFor' in read ? await readView(runtime, turn, undefined, signal, await read.waitsFor) : read;
}

/** Undefined: it has to be read, and there is no reader. */
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
    // Not waited for in here: a look that lasts holds a connection.
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

/** Retryable failures are tried again after a pause, the vendor's if it named one (P4). */
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
      // A vendor that asks for longer than a person would wait is answered with the failure, not with silence.
      if (pause > LONGEST_PAUSE_MS) throw error;
      await pauseFor(runtime.clock, pause, signal);
    }
  }
}

/** Ends a turn with an error that a person can act on. */
export async function failTurn(runtime: Runtime, turn: TurnRecord, message: string): Promise<void> {
  await commit(runtime, 'turn-failed', turn.worldId, { chats: [turn.chatId] }, (step) =>
    endWithError(runtime, step, turn, 'failed', message),
  );
}

function explain(error: unknown, agent: string, provider: string): string {
  if (!(error instanceof ProviderError)) return `${agent} could not answer: ${wordsOf(error)}`;
  // The provider's own words say which variable to set.
  if (error.kind === 'no-key') return `${agent} could not answer. No API key is set for ${provider}. ${wordsOf(error)}`;
  const what: Record<Exclude<ProviderError['kind'], 'no-key'>, string> = {
    auth: `The key for ${provider} was not accepted. Check it and write again.`,
    'rate-limited': `${provider} asks to slow down. Wait a moment and write again.`,
    overloaded: `${provider} is overloaded. Wait a moment and write again.`,
    'context-too-long': 'The conversation is too long for this model. Start a new chat or choose another model.',
    'bad-request': `${provider} refused the request. Check the model and its settings.`,
    network: `${provider} could not be reached. Check the connection and write again.`,
    aborted: 'The call was stopped.',
  };
  return `${agent} could not answer. ${what[error.kind]} (${wordsOf(error)})`;
}
