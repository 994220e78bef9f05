import type { ToolCall, Usage } from '@countersign/protocol';
import { ProviderError, type LLMResponse } from '../ports/index.js';

const LONGEST_NAME = 200;
/** The same limit as for people's messages. */
const LONGEST_TEXT = 1_000_000;

/**
 * Validates a provider's response. Providers are third-party code: an invalid response is a failure with a message, and must not
 * crash the process or break the step that writes it.
 */
export function readResponse(response: unknown): LLMResponse {
  if (typeof response !== 'object' || response === null) throw noAnswer('no object');
  const { type, content, usage, tool_calls, providerState }: Record<string, unknown> = { ...response };
  if (content !== undefined && content !== null && typeof content !== 'string')
    throw noAnswer('content that is not a string');
  const common = { content: shortened(content ?? ''), usage: readUsage(usage), ...readState(providerState) };
  switch (type) {
    case 'text':
      return { type, ...common };
    case 'tool_calls': {
      if (!Array.isArray(tool_calls)) throw noAnswer('tool calls that are not a list');
      if (tool_calls.length === 0) return { type: 'text', ...common };
      return { type, tool_calls: tool_calls.map(readCall), ...common };
    }
    default:
      throw noAnswer(`an unknown response type (${String(type).slice(0, 50)})`);
  }
}

function shortened(content: string): string {
  if (content.length <= LONGEST_TEXT) return content;
  const kept = content.slice(0, LONGEST_TEXT).replace(/[\uD800-\uDBFF]$/, '');
  return `${kept}\n[${content.length - kept.length} characters were left out here.]`;
}

function noAnswer(what: string): ProviderError {
  return new ProviderError('bad-request', `invalid response: ${what}`);
}

/** More than any model reads or writes. Sums must stay safe integers. */
const MOST_TOKENS = 1_000_000_000;

/** Token sums are stored as integers; anything else would make the answer unwritable. */
function readUsage(usage: unknown): Usage {
  const { inputTokens, outputTokens }: Record<string, unknown> = typeof usage === 'object' ? { ...usage } : {};
  return { inputTokens: count(inputTokens), outputTokens: count(outputTokens) };
}

function count(tokens: unknown): number {
  const whole = typeof tokens === 'number' ? Math.ceil(tokens) : 0;
  return whole > 0 && whole <= MOST_TOKENS ? whole : 0;
}

/** A copy, because it is written more than once and must not change. State that can't be serialized is dropped. */
function readState(state: unknown): { providerState?: unknown } {
  if (state === undefined) return {};
  try {
    const text: unknown = JSON.stringify(state);
    return typeof text === 'string' ? { providerState: JSON.parse(text) as unknown } : {};
  } catch {
    return {};
  }
}

/** Events require a tool name (T3). Truncated, because every event repeats it. */
function readCall(call: unknown): ToolCall {
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
