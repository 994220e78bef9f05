import { ProviderError, type GenerateRequest, type LLMResponse, type Provider } from '../ports/index.js';
import { refuseUnknownKeys, type ToolCall, type Usage } from '@countersign/protocol';

/** What a scripted model does at one call. A string is an answer. */
export type ScriptedReply =
  | string
  | {
      say?: string;
      calls?: readonly ScriptedCall[];
      usage?: Usage;
      providerState?: unknown;
    }
  | { fail: ProviderError };

export interface ScriptedCall {
  name: string;
  /** A string is sent as it is, so that a script can break its JSON as models do. */
  arguments?: Record<string, unknown> | string;
  /** The id the vendor would give. Made up if absent. */
  id?: string;
}

export type Script = readonly ScriptedReply[] | ((request: GenerateRequest) => ScriptedReply | Promise<ScriptedReply>);

export interface ScriptedOptions {
  name?: string;
  contextTokens?: number;
  /** The title given to a chat; without it titling fails, and the chat keeps its default. */
  title?: string | ((request: GenerateRequest) => string);
}

const KNOWN: Record<keyof ScriptedOptions, true> = { name: true, contextTokens: true, title: true };

const KEPT_REQUESTS = 1_000;

/** A scripted provider, and the last thousand requests it has seen. */
export interface ScriptedProvider extends Provider {
  readonly requests: readonly GenerateRequest[];
}

/**
 * A model that needs no key and does what it is told: a list of replies used up in order, or a function of the request.
 * It streams word by word and stops when asked, like the real ones.
 */
export function scripted(script: Script, options: ScriptedOptions = {}): ScriptedProvider {
  refuseUnknownKeys(options, KNOWN, 'scripted');
  const requests: GenerateRequest[] = [];
  let used = 0;
  let answered = 0;

  async function reply(request: GenerateRequest): Promise<ScriptedReply> {
    if (typeof script === 'function') return script(request);
    const next = script[used];
    used += 1;
    return next ?? { fail: new ProviderError('bad-request', `the script has only ${script.length} replies`) };
  }

  return {
    name: options.name ?? 'scripted',
    requests,
    contextTokens: () => options.contextTokens,
    async generate(request) {
      if (request.signal.aborted) throw new ProviderError('aborted', 'stopped');
      if (request.purpose === 'title')
        return titleReply(typeof options.title === 'function' ? options.title(request) : options.title);
      requests.push(request);
      // A demo that runs for days must not remember every word of it.
      if (requests.length > KEPT_REQUESTS) requests.shift();
      answered += 1;
      const answer = await reply(request);
      if (typeof answer === 'object' && 'fail' in answer) throw answer.fail;
      const response = toResponse(answer, answered);
      if (request.stream) for (const chunk of response.content.match(/\S+\s*|\s+/g) ?? []) request.onChunk(chunk);
      return response;
    },
  };
}

function titleReply(title: string | undefined): LLMResponse {
  if (title === undefined) throw new ProviderError('bad-request', 'the script gives no title');
  return { type: 'text', content: title, usage: { inputTokens: 0, outputTokens: 0 } };
}

function toResponse(reply: Exclude<ScriptedReply, { fail: ProviderError }>, number: number): LLMResponse {
  const said = typeof reply === 'string' ? { say: reply } : reply;
  const content = said.say ?? '';
  const usage = said.usage ?? { inputTokens: 0, outputTokens: 0 };
  const state = said.providerState === undefined ? {} : { providerState: said.providerState };
  if (said.calls === undefined || said.calls.length === 0) return { type: 'text', content, usage, ...state };
  const tool_calls = said.calls.map((call, index): ToolCall => ({
    id: call.id ?? `scripted_${number}_${index}`,
    type: 'function',
    function: {
      name: call.name,
      arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments ?? {}),
    },
  }));
  return { type: 'tool_calls', content, tool_calls, usage, ...state };
}
