import { ProviderError, type GenerateRequest, type LLMResponse, type Provider } from '../ports/index.js';
import { refuseUnknownKeys, type ToolCall, type Usage } from '@countersign/protocol';
import { checkScript } from './check-script.js';

/** A scripted model's response to one request. A string is an answer. */
export type ScriptedReply =
  | string
  | {
      say?: string;
      thinking?: string;
      calls?: readonly ScriptedCall[];
      usage?: Usage;
      providerState?: unknown;
    }
  | { fail: ProviderError };

/** A tool call in a scripted answer. */
export interface ScriptedCall {
  /** The tool to call. */
  name: string;
  /** A string is sent unchanged, so that a script can send broken JSON. */
  arguments?: Record<string, unknown> | string;
  /** The vendor's id; generated if absent. */
  id?: string;
}

/** A scripted model's answers: a list, or a function of the request. */
export type Script = readonly ScriptedReply[] | ((request: GenerateRequest) => ScriptedReply | Promise<ScriptedReply>);

/** Options for `scripted`. */
export interface ScriptedOptions {
  /** The name of the provider. Default: `scripted`. */
  name?: string;
  /** The context window size that the provider reports. */
  contextTokens?: number;
  /** The title for a chat. If absent, titling fails and the chat keeps its default title. */
  title?: string | ((request: GenerateRequest) => string);
}

const KNOWN: Record<keyof ScriptedOptions, true> = { name: true, contextTokens: true, title: true };

const KEPT_REQUESTS = 1_000;

/** A scripted provider with its last thousand requests. */
export interface ScriptedProvider extends Provider {
  /** Every request so far, oldest first. */
  readonly requests: readonly GenerateRequest[];
}

/**
 * A model without an API key that follows a script: a list of replies, used in order, or a function of the request. Like a real model, it
 * streams word by word and can be aborted.
 */
export function scripted(script: Script, options: ScriptedOptions = {}): ScriptedProvider {
  refuseUnknownKeys(options, KNOWN, 'scripted');
  checkScript(script);
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
      // A long-running demo must not keep every request.
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
  if (title === undefined) throw new ProviderError('bad-request', 'the script has no title');
  return { type: 'text', content: title, usage: { inputTokens: 0, outputTokens: 0 } };
}

function toResponse(reply: Exclude<ScriptedReply, { fail: ProviderError }>, number: number): LLMResponse {
  const said = typeof reply === 'string' ? { say: reply } : reply;
  const content = said.say ?? '';
  const usage = said.usage ?? { inputTokens: 0, outputTokens: 0 };
  const state = {
    ...(said.thinking === undefined ? {} : { thinking: said.thinking }),
    ...(said.providerState === undefined ? {} : { providerState: said.providerState }),
  };
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
