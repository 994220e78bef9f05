import { createHash } from 'node:crypto';
import type { GenerateRequest, ModelMessage, ModelTool, SettingProblem } from '@countersign/core/ports';
import type { ModelSettings, Thinking } from '@countersign/protocol';
import type OpenAI from 'openai';
import { argumentsText } from '../shared/arguments.js';
import { isRecord } from '../shared/records.js';
import { thinkingLevel } from '../shared/settings.js';
import { withAuthor, type WithImages } from '../shared/spoken.js';
import { wireCalls, wireName, type WireCalls } from '../shared/wire-calls.js';
import type { Dialect } from './dialect.js';

type Body = Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, 'stream'>;
type Message = OpenAI.ChatCompletionMessageParam;

/** OpenAI rejects longer ids; ours have 37 characters. */
const ID = /^[\x21-\x7e]{1,40}$/;
const IMAGES_FOLLOW = 'The images of the tool results above, in order:';
const SHORT_ID = /^[A-Za-z0-9]{9}$/;

/** Settings that chat completions have no field for. */
export function checkSettings(dialect: Dialect, { thinking }: ModelSettings): SettingProblem | undefined {
  if (typeof thinking !== 'number' || dialect === 'openrouter') return undefined;
  return {
    field: 'thinking',
    detail: "This provider doesn't accept a token budget for thinking. Use off, low, medium or high.",
  };
}

export function toRequest(request: GenerateRequest, dialect: Dialect): Body {
  const { model, temperature, topP, maxTokens, tools, thinking, parallelToolCalls } = request;
  return {
    model,
    messages: toMessages(request.messages, dialect),
    ...(tools.length === 0 ? {} : { tools: tools.map(toTool) }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : limit(maxTokens, dialect)),
    ...(topP === undefined ? {} : { top_p: topP }),
    // OpenAI rejects this field without tools.
    ...(parallelToolCalls === undefined || tools.length === 0 ? {} : { parallel_tool_calls: parallelToolCalls }),
    ...(thinking === undefined ? {} : thinkingOf(thinking, dialect)),
  };
}

function thinkingOf(thinking: Thinking, dialect: Dialect): Partial<Body> & { reasoning?: { max_tokens: number } } {
  if (thinking === 'off') return { reasoning_effort: 'none' };
  if (typeof thinking === 'number' && dialect === 'openrouter') return { reasoning: { max_tokens: thinking } };
  return { reasoning_effort: thinkingLevel(thinking) };
}

/** OpenAI's newer models accept only the new parameter name, other servers only the old one. */
function limit(maxTokens: number, dialect: Dialect) {
  return dialect === 'openai' ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens };
}

function toTool({ name, description, parameters }: ModelTool): OpenAI.ChatCompletionTool {
  return { type: 'function', function: { name, description, parameters: { type: 'object', ...parameters } } };
}

function toMessages(messages: readonly ModelMessage[], dialect: Dialect): Message[] {
  const wire = dialect === 'mistral' ? wireCalls(messages, SHORT_ID, shortened) : wireCalls(messages, ID);
  const out: Message[] = [];
  for (const [index, message] of messages.entries()) {
    switch (message.role) {
      case 'system':
        out.push({ role: 'system', content: message.content });
        break;
      case 'user':
        say(out, message, dialect);
        break;
      case 'assistant':
        out.push(...toAssistant(message, wire));
        break;
      case 'tool':
        out.push({ role: 'tool', tool_call_id: wire.resultId(message), content: message.content });
        if (messages[index + 1]?.role !== 'tool') out.push(...imagesBefore(messages, index));
    }
  }
  return out;
}

/** Results can only be text here, so the images of one tool turn follow its last result in a user message. */
function imagesBefore(messages: readonly ModelMessage[], last: number): Message[] {
  const parts: OpenAI.ChatCompletionContentPart[] = [];
  for (let index = last; messages[index]?.role === 'tool'; index -= 1) {
    const message = messages[index];
    if (message?.role === 'tool') parts.unshift(...imageParts(message));
  }
  if (parts.length === 0) return [];
  return [{ role: 'user', content: [{ type: 'text', text: IMAGES_FOLLOW }, ...parts] }];
}

function imageParts({ images = [] }: WithImages): OpenAI.ChatCompletionContentPartImage[] {
  const urls = images.map(({ mimeType, data }) => `data:${mimeType};base64,${data}`);
  return urls.map((url) => ({ type: 'image_url', image_url: { url } }));
}

/** A short id, unique per input. */
function shortened(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 9);
}

/** Merges consecutive user messages, because the chat templates of many local models reject them. */
function say(out: Message[], message: Extract<ModelMessage, { role: 'user' }>, dialect: Dialect): void {
  const text = withAuthor(message);
  const images = imageParts(message);
  if (images.length > 0) return void out.push({ role: 'user', content: [{ type: 'text', text }, ...images] });
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
      // Use `null` for empty text with calls: some servers reject '' and others a missing field.
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

/** Non-standard fields that some servers require to be sent back in the same turn. */
function reasoningOf(state: unknown): Record<string, unknown> {
  if (!isRecord(state) || state['version'] !== 1) return {};
  const { reasoning_content, reasoning_details } = state;
  return {
    ...(typeof reasoning_content === 'string' ? { reasoning_content } : {}),
    ...(Array.isArray(reasoning_details) ? { reasoning_details } : {}),
  };
}
