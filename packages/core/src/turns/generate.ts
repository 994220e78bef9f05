import type { SSEEvent, ToolCall, Usage } from '@countersign/protocol';
import { createChunkMasker, type ChunkMasker } from '../masking/index.js';
import {
  ProviderError,
  type GenerateRequest,
  type LLMResponse,
  type ModelPrice,
  type Provider,
  type TurnRecord,
} from '../ports/index.js';
import { pauseFor, untilAborted } from '../ports/until-aborted.js';
import { textOf, errorMessage } from '../ports/error-message.js';
import { commit } from '../step/commit.js';
import type { PartialAnswer, Runtime } from '../step/runtime.js';

/** Maximum number of attempts per model call (MODEL4.1). */
const TRIES = 3;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;
/** People notice a pause of this length. */
const LONG_PAUSE_MS = 2_000;

interface ModelCall {
  provider: Provider;
  request: Omit<GenerateRequest, 'signal' | 'onChunk' | 'onThinking'>;
  stream: ModelStream;
}

/** Retries retryable failures after a pause. Uses the vendor's delay if given (MODEL4.1). */
export async function generate(
  runtime: Runtime,
  turn: TurnRecord,
  { provider, request, stream }: ModelCall,
  signal: AbortSignal,
): Promise<LLMResponse> {
  const { id: turnId, worldId } = turn;
  for (let attempt = 1; ; attempt += 1) {
    const onArrival = stream.start(attempt);
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
      const response = await untilAborted(() => provider.generate({ ...request, signal, ...onArrival }), signal);
      measure('answered');
      return response;
    } catch (error) {
      if (!signal.aborted) measure('failed');
      if (signal.aborted || !(error instanceof ProviderError) || error.next !== 'retry' || attempt >= TRIES)
        throw error;
      const pause = error.retryAfterMs ?? FIRST_PAUSE_MS * 2 ** (attempt - 1);
      // If the vendor asks for a longer pause than a person would wait, fail instead of staying silent.
      if (pause > LONGEST_PAUSE_MS) throw error;
      if (pause >= LONG_PAUSE_MS) await sayPause(runtime, turn, pauseText(error, provider.name, pause));
      await pauseFor(runtime.clock, pause, signal);
    }
  }
}

function pauseText({ kind }: ProviderError, provider: string, pause: number): string {
  const what =
    kind === 'rate-limited'
      ? `Rate limited by ${provider}`
      : kind === 'overloaded'
        ? `${provider} is overloaded`
        : `${provider} could not be reached`;
  return `${what}, trying again in ${Math.ceil(pause / 1000)} s.`;
}

/** Tells people why nothing happens for a while. Models don't see it. */
async function sayPause(runtime: Runtime, turn: TurnRecord, message: string): Promise<void> {
  const { worldId, chatId } = turn;
  await commit(runtime, 'retry', worldId, { chats: [chatId] }, ({ tx }) => {
    if (tx.current(turn)?.state !== 'open') return;
    tx.write({ kind: 'notice-shown', chatId, message });
  });
}

/** A failed model call as a message for people. */
export function explainFailure(error: unknown, agent: string, provider: string): string {
  if (!(error instanceof ProviderError)) return `${agent} could not answer: ${errorMessage(error)}`;
  // The provider's message names the variable to set.
  if (error.kind === 'no-key')
    return `${agent} could not answer. No API key is set for ${provider}. ${errorMessage(error)}`;
  if (error.kind === 'agent-failed') return `${agent} could not answer. ${errorMessage(error)}`;
  const what: Record<Exclude<ProviderError['kind'], 'no-key' | 'agent-failed'>, string> = {
    auth: `${provider} rejected the API key. Check the key and send your message again.`,
    'rate-limited': `${provider} is rate limiting requests. Wait a moment and send your message again.`,
    overloaded: `${provider} is overloaded. Wait a moment and send your message again.`,
    'context-too-long': 'The conversation is too long for this model. Start a new chat or choose another model.',
    'bad-request': `${provider} rejected the request. Check the model and its settings.`,
    network: `Could not reach ${provider}. Check your connection and send your message again.`,
    aborted: 'The call was stopped.',
  };
  return `${agent} could not answer. ${what[error.kind]} (${errorMessage(error)})`;
}

interface ModelStream {
  /** Receives the chunks from this attempt until it ends or another one starts. */
  start(attempt: number): Required<Pick<GenerateRequest, 'onChunk' | 'onThinking'>>;
  /** What this attempt has streamed so far. Undefined if that is no text. */
  read(from: Pick<PartialAnswer, 'messageId' | 'provider' | 'model'>): PartialAnswer | undefined;
  end(last: { type: 'end'; usage: SSEEvent['usage'] } | { type: 'error'; content: string }): void;
}

/** Publishes chunks without storing them (STORE6). Holds secrets back until they can be masked completely. */
export function streamTo(
  runtime: Runtime,
  turn: TurnRecord,
  messageId: string,
  agentName: string,
  streams: boolean,
): ModelStream {
  let attempt = 0;
  let answer: MaskedStream | undefined;
  let thinking: MaskedStream | undefined;
  let current = {};
  const send = (event: Omit<SSEEvent, 'messageId' | 'agentName' | 'agentId' | 'attempt'>): void => {
    runtime.bus.publishUnstored(turn.worldId, turn.chatId, {
      event: 'sse',
      data: { ...event, messageId, agentName, agentId: turn.agentId, attempt },
    });
  };
  return {
    start(number) {
      attempt = turn.interruptions * TRIES + number;
      const own = (current = {});
      const heard = (answer = maskedStream((content, offset) => send({ type: 'chunk', content, offset })));
      const thought = (thinking = maskedStream(
        (content, offset) => send({ type: 'thinking', content, offset }),
        LONGEST_THINKING,
      ));
      send({ type: 'start' });
      // A provider may send chunks after it failed or answered. Drop them, or they would mix with the next attempt.
      const isCurrent = (): boolean => streams && current === own;
      return {
        onChunk(text) {
          if (!isCurrent()) return;
          thought.flush();
          heard.push(textOf(text));
        },
        onThinking(text) {
          if (isCurrent()) thought.push(textOf(text));
        },
      };
    },
    read(from) {
      // A chunk may end in the middle of a surrogate pair.
      const content = (answer?.text() ?? '').replace(/[\uD800-\uDBFF]$/, '').trimEnd();
      return content === '' ? undefined : { ...from, content, ...readThinking(thinking?.text()) };
    },
    end(last) {
      thinking?.flush();
      answer?.flush();
      current = {};
      send(last.type === 'end' ? { type: 'end', ...(last.usage === undefined ? {} : { usage: last.usage }) } : last);
    },
  };
}

interface MaskedStream {
  push(text: string): void;
  /** Sends what was held back as the possible start of a secret. */
  flush(): void;
  /** What was pushed so far, unmasked, up to the limit. */
  text(): string;
}

/** Masks chunks, counts their characters and drops those beyond the limit. */
function maskedStream(send: (content: string, offset: number) => void, longest = LONGEST_TEXT): MaskedStream {
  let offset = 0;
  let pushed = '';
  /** Created lazily: many answers have no chunks. */
  let masker: ChunkMasker | undefined;
  const pass = (text: string): void => {
    const content = text.slice(0, longest - offset);
    if (content === '') return;
    send(content, offset);
    offset += content.length;
  };
  return {
    push(text) {
      if (pushed.length < longest) pushed += text;
      masker ??= createChunkMasker({ form: 'chat' });
      pass(masker.push(text));
    },
    flush() {
      const rest = masker?.end() ?? '';
      masker = undefined;
      pass(rest);
    },
    text: () => pushed.slice(0, longest),
  };
}

const LONGEST_NAME = 200;
/** The same limit as for people's messages. */
const LONGEST_TEXT = 1_000_000;
const LONGEST_THINKING = 50_000;

/**
 * Validates a provider's response. Providers are third-party code: an invalid response is a failure with a message, and must not
 * crash the process or break the step that writes it.
 */
export function readResponse(response: unknown, price?: ModelPrice): LLMResponse {
  if (typeof response !== 'object' || response === null) throw noAnswer('not an object');
  const { type, content, thinking, usage, tool_calls, providerState }: Record<string, unknown> = { ...response };
  if (content !== undefined && content !== null && typeof content !== 'string')
    throw noAnswer('content that is not a string');
  const common = {
    content: shortened(content ?? ''),
    ...readThinking(thinking),
    usage: readUsage(usage, price),
    ...readState(providerState),
  };
  switch (type) {
    case 'text':
      return { type, ...common };
    case 'tool_calls': {
      if (!Array.isArray(tool_calls)) throw noAnswer('tool calls that are not a list');
      if (tool_calls.length === 0) return { type: 'text', ...common };
      return { type, tool_calls: tool_calls.map(parseCall), ...common };
    }
    default:
      throw noAnswer(`an unknown response type (${String(type).slice(0, 50)})`);
  }
}

function shortened(content: string, longest = LONGEST_TEXT): string {
  if (content.length <= longest) return content;
  const kept = content.slice(0, longest).replace(/[\uD800-\uDBFF]$/, '');
  return `${kept}\n[${content.length - kept.length} characters were left out here.]`;
}

/** Truncates thinking, so that it can be masked in one piece. Thinking that isn't text is dropped. */
function readThinking(thinking: unknown): { thinking?: string } {
  if (typeof thinking !== 'string' || thinking.trim() === '') return {};
  return { thinking: shortened(thinking.trim(), LONGEST_THINKING) };
}

function noAnswer(what: string): ProviderError {
  return new ProviderError('bad-request', `invalid response: ${what}`);
}

/** More than any model reads or writes. Sums must stay safe integers. */
const MAX_TOKENS = 1_000_000_000;

/** Token sums are stored as integers; other values would make the answer impossible to store. */
function readUsage(usage: unknown, price: ModelPrice | undefined): Usage {
  const { inputTokens, outputTokens }: Record<string, unknown> = typeof usage === 'object' ? { ...usage } : {};
  const tokens = { inputTokens: count(inputTokens), outputTokens: count(outputTokens) };
  // A price per million tokens is millionths per token.
  const cost = price && Math.ceil(tokens.inputTokens * price.input + tokens.outputTokens * price.output);
  return cost === undefined || !Number.isSafeInteger(cost) || cost < 0 ? tokens : { ...tokens, microdollars: cost };
}

function count(tokens: unknown): number {
  const whole = typeof tokens === 'number' ? Math.ceil(tokens) : 0;
  return whole > 0 && whole <= MAX_TOKENS ? whole : 0;
}

/** Returns a copy, because the state is written more than once and must not change. State that can't be serialized is dropped. */
function readState(state: unknown): { providerState?: unknown } {
  if (state === undefined) return {};
  try {
    const text: unknown = JSON.stringify(state);
    return typeof text === 'string' ? { providerState: JSON.parse(text) as unknown } : {};
  } catch {
    return {};
  }
}

/** Events require a tool name (TURN3). Truncated, because every event repeats it. */
function parseCall(call: unknown): ToolCall {
  const { id, function: asked }: Record<string, unknown> = typeof call === 'object' ? { ...call } : {};
  if (typeof asked !== 'object' || asked === null) throw noAnswer('a tool call without a function');
  const { name, arguments: args }: Record<string, unknown> = { ...asked };
  if (typeof name !== 'string') throw noAnswer('a tool call without a name');
  return {
    id: typeof id === 'string' ? id : '',
    type: 'function',
    function: { name: name.trim() === '' ? '(no name)' : name.slice(0, LONGEST_NAME), arguments: readText(args) },
  };
}

/** Some servers send arguments as an object instead of text, or omit them. */
function readText(args: unknown): string {
  if (typeof args === 'string') return args;
  if (args === undefined || args === null) return '';
  try {
    return JSON.stringify(args);
  } catch {
    throw noAnswer('arguments that are not JSON');
  }
}
