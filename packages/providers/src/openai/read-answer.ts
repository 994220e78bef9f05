import type { LLMResponse } from '@countersign/core/ports';
import type OpenAI from 'openai';
import { toToolCall } from '../shared/arguments.js';
import { isRecord } from '../shared/records.js';
import { thinkingOf } from '../shared/replay.js';
import { cutShort, noAnswer, withheld, type Arrival } from '../shared/run-call.js';
import { addDetails, addToolDelta, type CallDraft } from './deltas.js';

/** An answer in progress. Whole and streamed answers share it, so they can't differ (MODEL3). */
interface Draft {
  content: string;
  calls: CallDraft[];
  /** The reasoning to send back with calls. */
  reasoning: string;
  /** The thinking to show to people. Servers use different fields for it. */
  thinking: string;
  details: Record<string, unknown>[];
  finish: string | undefined;
  usage: { inputTokens: number; outputTokens: number } | undefined;
  answered: boolean;
}

export function readCompletion(completion: OpenAI.ChatCompletion, name: string): LLMResponse {
  const draft = newDraft();
  const body: unknown = completion;
  // Some gateways return errors with status 200.
  if (isRecord(body) && isRecord(body['error']) && body['choices'] === undefined) throw vendorError(body['error']);
  const choice: Partial<OpenAI.ChatCompletion.Choice> | undefined = completion.choices?.[0];
  if (choice?.message !== undefined && choice.message !== null) {
    const { tool_calls, ...message } = choice.message;
    addMessage(draft, message);
    for (const [index, call] of (tool_calls ?? []).entries()) {
      if (isRecord(call)) addToolDelta(draft.calls, { ...call, index });
    }
    draft.finish = choice.finish_reason ?? undefined;
  }
  draft.usage = usageOf(completion.usage);
  return finish(draft, name);
}

export async function readStream(
  stream: AsyncIterable<OpenAI.ChatCompletionChunk>,
  on: Arrival,
  name: string,
): Promise<LLMResponse> {
  const draft = newDraft();
  for await (const chunk of stream) {
    draft.usage = usageOf(chunk.usage) ?? draft.usage;
    const choice: Partial<OpenAI.ChatCompletionChunk.Choice> | undefined = chunk.choices?.[0];
    if (choice === undefined) continue;
    const { tool_calls, ...delta }: Partial<OpenAI.ChatCompletionChunk.Choice.Delta> = choice.delta ?? {};
    const { text, thinking } = addMessage(draft, delta);
    if (thinking !== '') on.onThinking?.(thinking);
    if (text !== '') on.onChunk(text);
    for (const call of tool_calls ?? []) if (isRecord(call)) addToolDelta(draft.calls, call);
    draft.finish = choice.finish_reason ?? draft.finish;
  }
  // Some servers send no finish reason, but they do send usage last.
  if (draft.finish === undefined && draft.usage === undefined) throw cutShort();
  return finish(draft, name);
}

function newDraft(): Draft {
  return {
    content: '',
    calls: [],
    reasoning: '',
    thinking: '',
    details: [],
    finish: undefined,
    usage: undefined,
    answered: false,
  };
}

/** Returns the added text and thinking. A refusal is an answer in a different field. */
function addMessage(draft: Draft, message: object): { text: string; thinking: string } {
  const { content, refusal, reasoning_content, reasoning, reasoning_details }: Record<string, unknown> = { ...message };
  const text = textOf(content) + textOf(refusal);
  draft.content += text;
  draft.reasoning += textOf(reasoning_content);
  const thinking = textOf(reasoning_content ?? reasoning) + thoughtsOf(content);
  draft.thinking += thinking;
  addDetails(draft.details, reasoning_details);
  draft.answered = true;
  return { text, thinking };
}

/** Some servers send text as a list of parts, including thoughts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: unknown) => (isRecord(part) && part['type'] === 'text' ? textOf(part['text']) : ''))
    .join('');
}

/** Mistral sends its thinking as a part of the content. */
function thoughtsOf(content: unknown): string {
  if (!Array.isArray(content)) return '';
  return content
    .map((part: unknown) => (isRecord(part) && part['type'] === 'thinking' ? textOf(part['thinking']) : ''))
    .join('');
}

/** If there is no other thinking, uses the text in OpenRouter's details. */
function thinkingIn({ thinking, details }: Draft): { thinking?: string } {
  if (thinking !== '') return thinkingOf([thinking]);
  return thinkingOf(details.map(({ text, summary }) => textOf(text) + textOf(summary)));
}

function usageOf(usage: OpenAI.CompletionUsage | null | undefined): Draft['usage'] {
  if (usage === undefined || usage === null) return undefined;
  return { inputTokens: usage.prompt_tokens ?? 0, outputTokens: usage.completion_tokens ?? 0 };
}

function finish(draft: Draft, name: string): LLMResponse {
  if (!draft.answered) throw noAnswer(name);
  const { content, calls } = draft;
  if (draft.finish === 'content_filter' && content === '' && calls.length === 0) throw withheld(name, 'content filter');
  const usage = draft.usage ?? { inputTokens: 0, outputTokens: 0 };
  // Calls take precedence over the server's finish reason.
  if (calls.length === 0) return { type: 'text', content, ...thinkingIn(draft), usage };
  const tool_calls = calls.map((call) => toToolCall(call.id, call.name, call.arguments));
  return { type: 'tool_calls', content, ...thinkingIn(draft), tool_calls, usage, ...stateOf(draft) };
}

/** Keeps state only with calls: some servers require it to be sent back with them, and others reject it after plain text. */
function stateOf({ reasoning, details }: Draft): { providerState?: unknown } {
  if (reasoning === '' && details.length === 0) return {};
  return {
    providerState: {
      version: 1,
      ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
      ...(details.length === 0 ? {} : { reasoning_details: details }),
    },
  };
}

function vendorError(error: Record<string, unknown>): Error {
  return Object.assign(new Error('the server returned an error'), { error });
}
