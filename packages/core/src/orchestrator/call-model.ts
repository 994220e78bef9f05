import type { SSEEvent } from '@countersign/protocol';
import {
  ProviderError,
  type GenerateRequest,
  type LLMResponse,
  type Provider,
  type TurnRecord,
} from '../ports/index.js';
import { createChunkMasker, maskSecrets } from '../masking/index.js';
import { prepareMessagesForLLM } from '../memory/prepare-messages-for-llm.js';
import { newId } from '../turn/ids.js';
import { textOf, wordsOf } from './gate-call.js';
import { handleTextResponse } from './handle-text-response.js';
import { handleToolCalls } from './handle-tool-calls.js';
import { readResponse } from './read-response.js';
import { commit, type Runtime } from './runtime.js';
import { endTurn, noteActivity } from './turn-lifecycle.js';
import { writeNotice } from './write-message.js';

const TRIES = 3;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;

/** One model call of a turn, and what its answer leads to. A failure ends the turn in words and loses nothing (P4). True: the turn was answered and is over. */
export async function callModel(runtime: Runtime, turn: TurnRecord, signal: AbortSignal): Promise<boolean> {
  const prepared = await prepare(runtime, turn);
  if (!prepared.ok) {
    await failTurn(runtime, turn, prepared.error);
    return false;
  }
  const { provider, place, request, agentName, trigger } = prepared;
  const messageId = newId('msg');
  const stream = streamTo(runtime, turn, messageId, agentName, request.stream);
  let response: LLMResponse;
  try {
    response = readResponse(await generate(runtime, provider, request, stream, signal));
  } catch (error) {
    stream.end({ type: 'error', content: maskSecrets(wordsOf(error)) });
    // Stopped or shutting down: who aborted has written, or will write, what becomes of the turn.
    if (signal.aborted) return false;
    await failTurn(runtime, turn, explain(error, agentName, provider.name));
    return false;
  }
  // Tool events come only after the stream that asked for them has ended (T12).
  stream.end({ type: 'end', usage: response.usage });
  runtime.probe('after model-call');
  const from = { messageId, provider: provider.name, model: request.model };
  if (response.type === 'text') return await handleTextResponse(runtime, turn, { ...from, response, trigger });
  await handleToolCalls(runtime, turn, { ...from, response, place });
  return false;
}

async function prepare(runtime: Runtime, turn: TurnRecord) {
  const read = await runtime.store.read(async (reader) => {
    const snapshot = await runtime.snapshots(reader, turn.worldId);
    const agent = snapshot?.agent(turn.agentId);
    if (snapshot === undefined || agent === undefined) return undefined;
    const provider = runtime.provider(agent.definition.provider);
    if (provider === undefined) return { agent };
    const tools = runtime.tools(turn.worldId).values();
    const view = await prepareMessagesForLLM(reader, runtime.memory, snapshot, agent, turn, { provider, tools });
    return { agent, snapshot, provider, view };
  });
  if (read === undefined)
    return { ok: false as const, error: 'The agent is no longer in this world, so nobody answers.' };
  const { name, provider: wanted, model, temperature, maxTokens } = read.agent.definition;
  if (read.provider === undefined || read.view === undefined || read.snapshot === undefined) {
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
  try {
    const place = await runtime.findPlace(read.snapshot);
    return { ok: true as const, provider: read.provider, request, place, agentName: name, trigger: read.view.trigger };
  } catch (error) {
    return { ok: false as const, error: `The working folder can't be used: ${wordsOf(error)}` };
  }
}

/** Retryable failures are tried again after a pause, the vendor's if it named one (P4). */
async function generate(
  runtime: Runtime,
  provider: Provider,
  request: Omit<GenerateRequest, 'signal' | 'onChunk'>,
  stream: ModelStream,
  signal: AbortSignal,
): Promise<LLMResponse> {
  for (let attempt = 1; ; attempt += 1) {
    const onChunk = stream.start(attempt);
    runtime.probe('before model-call');
    try {
      return await untilAborted(() => provider.generate({ ...request, signal, onChunk }), signal);
    } catch (error) {
      if (signal.aborted || !(error instanceof ProviderError) || error.next !== 'retry' || attempt >= TRIES)
        throw error;
      const pause = error.retryAfterMs ?? FIRST_PAUSE_MS * 2 ** (attempt - 1);
      // A vendor that asks for longer than a person would wait is answered with the failure, not with silence.
      if (pause > LONGEST_PAUSE_MS) throw error;
      await pauseFor(runtime, pause, signal);
    }
  }
}

/**
 * A provider that ignores its signal must not hold up a stop (M9). Nothing is begun once it has fired: nobody would wait for
 * its end, and a failure that nobody waits for ends the process.
 */
export async function untilAborted<T>(begin: () => Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) throw new ProviderError('aborted', 'stopped');
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(new ProviderError('aborted', 'stopped'));
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([begin(), aborted]);
  } finally {
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
  }
}

export async function pauseFor(runtime: Runtime, ms: number, signal: AbortSignal): Promise<void> {
  let cancel = (): void => undefined;
  try {
    await untilAborted(
      () =>
        new Promise<void>((resolve) => {
          cancel = runtime.clock.after(ms, resolve);
        }),
      signal,
    );
  } finally {
    cancel();
  }
}

interface ModelStream {
  /** Where the chunks of this try go, until it ends or another one starts. */
  start(attempt: number): (text: string) => void;
  end(last: { type: 'end'; usage: SSEEvent['usage'] } | { type: 'error'; content: string }): void;
}

/** Chunks are heard, not stored (S6). Secrets are held back until they can be masked as a whole. */
function streamTo(
  runtime: Runtime,
  turn: TurnRecord,
  messageId: string,
  agentName: string,
  streams: boolean,
): ModelStream {
  let attempt = 0;
  let offset = 0;
  let masker = createChunkMasker({ form: 'chat' });
  const send = (event: Omit<SSEEvent, 'messageId' | 'agentName' | 'attempt'>): void => {
    runtime.bus.publishUnstored(turn.worldId, turn.chatId, {
      event: 'sse',
      data: { ...event, messageId, agentName, attempt },
    });
  };
  const sendText = (content: string): void => {
    if (content === '') return;
    send({ type: 'chunk', content, offset });
    offset += content.length;
  };
  return {
    start(number) {
      attempt = turn.interruptions * TRIES + number;
      offset = 0;
      const current = createChunkMasker({ form: 'chat' });
      masker = current;
      send({ type: 'start' });
      // A provider may go on after it failed or answered: its chunks would run into the next try, or follow the end.
      return (text) => {
        if (streams && masker === current) sendText(current.push(textOf(text)));
      };
    },
    end(last) {
      const rest = masker.end();
      masker = createChunkMasker({ form: 'chat' });
      sendText(rest);
      send(last.type === 'end' ? { type: 'end', ...(last.usage === undefined ? {} : { usage: last.usage }) } : last);
    },
  };
}

/** Ends a turn that can't go on, with words a person can act on. */
export async function failTurn(runtime: Runtime, turn: TurnRecord, message: string): Promise<void> {
  await commit(runtime, 'turn-failed', turn.worldId, async (step) => {
    const chat = await step.tx.chat(turn.chatId);
    const sayWhy = () => writeNotice(step, turn, 'error', maskSecrets(message));
    if (!(await endTurn(runtime, step, turn, 'failed', sayWhy))) return;
    if (chat !== undefined) await noteActivity(runtime, step, chat);
  });
}

function explain(error: unknown, agent: string, provider: string): string {
  if (!(error instanceof ProviderError)) return `${agent} could not answer: ${wordsOf(error)}`;
  const what: Record<ProviderError['kind'], string> = {
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
