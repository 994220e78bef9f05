import type { ToolCall, Usage } from '@countersign/protocol';
import { ProviderError, type LLMResponse } from '../ports/index.js';

const LONGEST_NAME = 200;
/** As long as a person's message may be. */
const LONGEST_TEXT = 1_000_000;

/**
 * A provider is code from elsewhere and a model's answer comes from further away: what does not have the shape of an answer is a
 * failure in words, not a crash or an answer nobody gave, and nothing of it can break the step that writes it.
 */
export function readResponse(response: unknown): LLMResponse {
  if (typeof response !== 'object' || response === null) throw noAnswer('nothing that is one');
  const { type, content, usage, tool_calls, providerState }: Record<string, unknown> = { ...response };
  if (content !== undefined && content !== null && typeof content !== 'string')
    throw noAnswer('content that is no text');
  const common = { content: shortened(content ?? ''), usage: readUsage(usage), ...readState(providerState) };
  switch (type) {
    case 'text':
      return { type, ...common };
    case 'tool_calls': {
      if (!Array.isArray(tool_calls)) throw noAnswer('calls that are no list');
      if (tool_calls.length === 0) return { type: 'text', ...common };
      return { type, tool_calls: tool_calls.map(readCall), ...common };
    }
    default:
      throw noAnswer(`a kind of answer that is not known (${String(type).slice(0, 50)})`);
  }
}

function shortened(content: string): string {
  if (content.length <= LONGEST_TEXT) return content;
  const kept = content.slice(0, LONGEST_TEXT).replace(/[\uD800-\uDBFF]$/, '');
  return `${kept}\n[${content.length - kept.length} characters were left out here.]`;
}

function noAnswer(what: string): ProviderError {
  return new ProviderError('bad-request', `instead of an answer it gave ${what}`);
}

/** No model reads or writes as many. The sums of a world must stay numbers that can be stored and read back. */
const MOST_TOKENS = 1_000_000_000;

/** Sums are written as whole numbers; one that is none would make the whole answer unwritable. */
function readUsage(usage: unknown): Usage {
  const { inputTokens, outputTokens }: Record<string, unknown> = typeof usage === 'object' ? { ...usage } : {};
  return { inputTokens: count(inputTokens), outputTokens: count(outputTokens) };
}

function count(tokens: unknown): number {
  const whole = typeof tokens === 'number' ? Math.ceil(tokens) : 0;
  return whole > 0 && whole <= MOST_TOKENS ? whole : 0;
}

/** A copy: it is written more than once, and must be the same each time. What can't be stored can't be given back; the answer counts without it. */
function readState(state: unknown): { providerState?: unknown } {
  if (state === undefined) return {};
  try {
    const text: unknown = JSON.stringify(state);
    return typeof text === 'string' ? { providerState: JSON.parse(text) as unknown } : {};
  } catch {
    return {};
  }
}

/** Events promise a name (T3), and a name of a megabyte would be one in every one of them. */
function readCall(call: unknown): ToolCall {
  const { id, function: asked }: Record<string, unknown> = typeof call === 'object' ? { ...call } : {};
  if (typeof asked !== 'object' || asked === null) throw noAnswer('a call of nothing');
  const { name, arguments: args }: Record<string, unknown> = { ...asked };
  if (typeof name !== 'string') throw noAnswer('a call without a name');
  return {
    id: typeof id === 'string' ? id : '',
    type: 'function',
    function: { name: name.trim() === '' ? '(no name)' : name.slice(0, LONGEST_NAME), arguments: readText(args) },
  };
}

/** Some servers send arguments as an object instead of its text, or none at all. */
function readText(args: unknown): string {
  if (typeof args === 'string') return args;
  if (args === undefined || args === null) return '';
  try {
    return JSON.stringify(args);
  } catch {
    throw noAnswer('arguments that are no JSON');
  }
}
