import { createHash } from 'node:crypto';
import type { GenerateRequest, ModelMessage, ModelTool } from '@countersign/core/ports';
import type OpenAI from 'openai';
import { argumentsText } from '../shared/arguments.js';
import type { Thinking } from '../shared/endpoint.js';
import { isRecord } from '../shared/records.js';
import { spoken } from '../shared/spoken.js';
import { wireCalls, wireName, type WireCalls } from '../shared/wire-calls.js';

/** OpenAI itself, or one of the servers that speak its language with less patience. Mistral's take only ids of nine characters. */
export type Dialect = 'openai' | 'compatible' | 'mistral';

type Body = Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, 'stream'>;
type Message = OpenAI.ChatCompletionMessageParam;

/** OpenAI refuses longer ids; ours have 37 characters. */
const ID = /^[\x21-\x7e]{1,40}$/;
const SHORT_ID = /^[A-Za-z0-9]{9}$/;

export function toRequest(request: GenerateRequest, dialect: Dialect, thinking?: Thinking): Body {
  const { model, temperature, maxTokens, tools, purpose } = request;
  return {
    model,
    messages: toMessages(request.messages, dialect),
    ...(tools.length === 0 ? {} : { tools: tools.map(toTool) }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : limit(maxTokens, dialect)),
    ...(thinking === undefined || purpose === 'title' ? {} : { reasoning_effort: thinking }),
  };
}

/** OpenAI's newer models know only the new name of the limit, other servers only the old one. */
function limit(maxTokens: number, dialect: Dialect) {
  return dialect === 'openai' ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens };
}

function toTool({ name, description, parameters }: ModelTool): OpenAI.ChatCompletionTool {
  return { type: 'function', function: { name, description, parameters: { type: 'object', ...parameters } } };
}

function toMessages(messages: readonly ModelMessage[], dialect: Dialect): Message[] {
  const wire = dialect === 'mistral' ? wireCalls(messages, SHORT_ID, shortened) : wireCalls(messages, ID);
  const out: Message[] = [];
  for (const message of messages) {
    switch (message.role) {
      case 'system':
        out.push({ role: 'system', content: message.content });
        break;
      case 'user':
        say(out, spoken(message), dialect);
        break;
      case 'assistant':
        out.push(...toAssistant(message, wire));
        break;
      case 'tool':
        out.push({ role: 'tool', tool_call_id: wire.resultId(message), content: message.content });
    }
  }
  return out;
}

/** The same for the same id, and for no other. */
function shortened(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 9);
}

/** Many local models' templates refuse two user messages in a row. */
function say(out: Message[], text: string, dialect: Dialect): void {
  const last = out.at(-1);
  if (dialect !== 'openai' && last?.role === 'user' && typeof last.content === 'string') {
    last.content = `${last.content}\n\n${text}`;
  } else out.push({ role: 'user', content: text });
}

function toAssistant(message: Extract<ModelMessage, { role: 'assistant' }>, wire: WireCalls): Message[] {
  const calls = message.tool_calls ?? [];
  if (calls.length === 0) return message.content === '' ? [] : [{ role: 'assistant', content: message.content }];
  return [
    {
      role: 'assistant',
      // Empty text beside calls is `null` in this language; some servers refuse '' and some a missing field.
      content: message.content === '' ? null : message.content,
      ...reasoningOf(message.providerState),
      tool_calls: calls.map((call) => ({
        id: wire.idOf(call),
        type: 'function',
        function: { name: wireName(call.function.name), arguments: argumentsText(call.function.arguments) },
      })),
    },
  ];
}

/** Fields outside the standard that some servers need back in the turn that made them, or they refuse it. */
function reasoningOf(state: unknown): Record<string, unknown> {
  if (!isRecord(state) || state['version'] !== 1) return {};
  const { reasoning_content, reasoning_details } = state;
  return {
    ...(typeof reasoning_content === 'string' ? { reasoning_content } : {}),
    ...(Array.isArray(reasoning_details) ? { reasoning_details } : {}),
  };
}
