import type { LLMResponse } from '@countersign/core/ports';
import type OpenAI from 'openai';
import { toToolCall } from '../../shared/arguments.js';
import { stateOf, thinkingOf, type Slot } from '../../shared/replay.js';
import { cutShort, noAnswer, withheld, type Arrival } from '../../shared/run-call.js';

type Response = OpenAI.Responses.Response;
type Output = OpenAI.Responses.ResponseOutputItem;

/** The last event contains the whole response, so streamed and whole answers can't differ (MODEL3). */
export async function readStream(
  stream: AsyncIterable<OpenAI.Responses.ResponseStreamEvent>,
  on: Arrival,
  name: string,
): Promise<LLMResponse> {
  let whole: Response | undefined;
  for await (const event of stream) {
    const { type } = event;
    if (type === 'error') throw vendorError(event);
    if (type === 'response.output_text.delta' || type === 'response.refusal.delta') {
      if (event.delta !== '') on.onChunk(event.delta);
    } else if (type === 'response.reasoning_summary_text.delta') {
      if (event.delta !== '') on.onThinking?.(event.delta);
    } else if (type === 'response.reasoning_summary_part.added') {
      if (event.summary_index > 0) on.onThinking?.('\n\n');
    } else if (type === 'response.completed' || type === 'response.incomplete' || type === 'response.failed') {
      whole = event.response;
    }
  }
  if (whole === undefined) throw cutShort();
  return readResponse(whole, name);
}

export function readResponse(response: Response, name: string): LLMResponse {
  const { error, output, usage, incomplete_details } = response;
  if (error !== null && error !== undefined) throw vendorError(error);
  if (!Array.isArray(output)) throw noAnswer(name);
  const content = output.map(textOf).join('');
  const calls = output.flatMap((item) => (item.type === 'function_call' ? [item] : []));
  if (content === '' && calls.length === 0) {
    if (incomplete_details?.reason === 'content_filter') throw withheld(name, 'content filter');
    if (output.length === 0) throw noAnswer(name);
  }
  const answer = {
    content,
    ...thinkingOf(output.flatMap(summaryOf)),
    usage: { inputTokens: usage?.input_tokens ?? 0, outputTokens: usage?.output_tokens ?? 0 },
    ...stateOf(output.flatMap(toSlot)),
  };
  if (calls.length === 0) return { type: 'text', ...answer };
  const tool_calls = calls.map(({ call_id, name: tool, arguments: args }) => toToolCall(call_id, tool, args));
  return { type: 'tool_calls', tool_calls, ...answer };
}

/** A refusal is an answer in a different field. */
function textOf(item: Output): string {
  if (item.type !== 'message') return '';
  return item.content.map((part) => (part.type === 'output_text' ? part.text : part.refusal)).join('');
}

function summaryOf(item: Output): string[] {
  return item.type === 'reasoning' ? (item.summary ?? []).map(({ text }) => text) : [];
}

function toSlot(item: Output): Slot[] {
  if (item.type === 'message') return [{ kind: 'text', text: textOf(item) }];
  if (item.type === 'function_call') return [{ kind: 'call', name: item.name }];
  if (item.type !== 'reasoning') return [];
  const { type, id, summary, encrypted_content } = item;
  if (typeof encrypted_content !== 'string') return [];
  return [{ kind: 'sealed', sealed: { type, id, summary: summary ?? [], encrypted_content } }];
}

function vendorError({ code, message }: { code: string | null; message: string }): Error {
  return Object.assign(new Error('the server returned an error'), { error: { type: code, code, message } });
}
