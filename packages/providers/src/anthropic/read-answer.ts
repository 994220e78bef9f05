import type Anthropic from '@anthropic-ai/sdk';
import { ProviderError, type LLMResponse } from '@countersign/core/ports';
import { toToolCall, withoutWhitespace } from '../shared/arguments.js';
import { isRecord } from '../shared/records.js';
import { stateOf, thinkingOf, type Slot } from '../shared/replay.js';
import { cutShort, noAnswer, withheld, type Arrival } from '../shared/run-call.js';

type Block =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }
  | { type: 'tool_use'; id: string; name: string; json: string };

interface Draft {
  /** Keyed by the vendor's index, which has gaps because some block types are skipped. */
  blocks: Map<number, Block>;
  input: number;
  output: number;
  stop: string | undefined;
}

export function readMessage(message: Anthropic.Message, name: string): LLMResponse {
  if (!Array.isArray(message.content)) throw noAnswer(name);
  const draft = newDraft();
  for (const [index, block] of message.content.entries()) addBlock(draft, index, block);
  addUsage(draft, message.usage);
  draft.stop = message.stop_reason ?? undefined;
  return finish(draft, name);
}

export async function readStream(
  stream: AsyncIterable<Anthropic.RawMessageStreamEvent>,
  on: Arrival,
  name: string,
): Promise<LLMResponse> {
  const draft = newDraft();
  let ended = false;
  for await (const event of stream) {
    switch (event.type) {
      case 'message_start':
        addUsage(draft, event.message?.usage);
        break;
      case 'content_block_start':
        addBlock(draft, event.index, event.content_block, on);
        break;
      case 'content_block_delta':
        addDelta(draft.blocks.get(event.index), event.delta, on);
        break;
      case 'message_delta':
        addUsage(draft, event.usage);
        draft.stop = event.delta?.stop_reason ?? draft.stop;
        break;
      case 'message_stop':
        ended = true;
        break;
      case 'content_block_stop':
        break;
    }
  }
  if (!ended && draft.stop === undefined) throw cutShort();
  return finish(draft, name);
}

function newDraft(): Draft {
  return { blocks: new Map(), input: 0, output: 0, stop: undefined };
}

function addBlock(draft: Draft, index: number, block: Anthropic.ContentBlock, on?: Arrival): void {
  const read = readBlock(block);
  if (read === undefined) return;
  const thought = [...draft.blocks.values()].some(({ type }) => type === 'thinking');
  draft.blocks.set(index, read);
  if (read.type === 'text' && read.text !== '') on?.onChunk(read.text);
  if (read.type === 'thinking' && (thought || read.thinking !== ''))
    on?.onThinking?.(`${thought ? '\n\n' : ''}${read.thinking}`);
}

function readBlock(block: Anthropic.ContentBlock): Block | undefined {
  if (!isRecord(block)) return undefined;
  if (block.type === 'text') return { type: 'text', text: block.text ?? '' };
  if (block.type === 'thinking')
    return { type: 'thinking', thinking: block.thinking ?? '', signature: block.signature ?? '' };
  if (block.type === 'redacted_thinking') return { type: 'redacted_thinking', data: block.data };
  // A stream starts with an empty object and then sends the actual arguments as JSON text.
  if (block.type === 'tool_use') return { type: 'tool_use', id: block.id, name: block.name, json: jsonOf(block.input) };
  return undefined;
}

function jsonOf(input: unknown): string {
  const json = JSON.stringify(input ?? {});
  return json === '{}' ? '' : json;
}

function addDelta(block: Block | undefined, delta: Anthropic.RawContentBlockDelta, on: Arrival): void {
  if (delta?.type === 'text_delta' && block?.type === 'text') {
    block.text += delta.text;
    if (delta.text !== '') on.onChunk(delta.text);
  } else if (delta?.type === 'input_json_delta' && block?.type === 'tool_use') block.json += delta.partial_json;
  else if (delta?.type === 'thinking_delta' && block?.type === 'thinking') {
    block.thinking += delta.thinking;
    if (delta.thinking !== '') on.onThinking?.(delta.thinking);
  } else if (delta?.type === 'signature_delta' && block?.type === 'thinking') block.signature += delta.signature;
}

/** Counts are cumulative, so a later one replaces earlier ones. Cached tokens count as input. */
function addUsage(draft: Draft, usage: Partial<Anthropic.Usage> | Anthropic.MessageDeltaUsage | undefined): void {
  if (usage === undefined || usage === null) return;
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = usage;
  const input = (input_tokens ?? 0) + (cache_creation_input_tokens ?? 0) + (cache_read_input_tokens ?? 0);
  draft.input = Math.max(draft.input, input);
  draft.output = output_tokens ?? draft.output;
}

function finish(draft: Draft, name: string): LLMResponse {
  const blocks = [...draft.blocks.entries()].sort(([a], [b]) => a - b).map(([, block]) => block);
  const content = blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
  const calls = blocks.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
  if (content === '' && calls.length === 0) checkEmptyAnswer(draft, name);
  const answer = {
    content,
    ...thinkingOf(blocks.map((block) => (block.type === 'thinking' ? block.thinking : ''))),
    usage: { inputTokens: draft.input, outputTokens: draft.output },
    ...stateOf(blocks.map(toSlot)),
  };
  if (calls.length === 0) return { type: 'text', ...answer };
  const tool_calls = calls.map(({ id, name, json }) =>
    toToolCall(id, name, json === '' ? '{}' : withoutWhitespace(json)),
  );
  return { type: 'tool_calls', tool_calls, ...answer };
}

/** Fails on an empty answer, unless the model deliberately ended with one. */
function checkEmptyAnswer({ stop }: Draft, name: string): void {
  if (stop === 'refusal') throw withheld(name, 'refusal');
  if (stop === 'model_context_window_exceeded') {
    throw new ProviderError('context-too-long', 'the conversation left no room for an answer');
  }
  if (stop === undefined) throw noAnswer(name);
}

function toSlot(block: Block): Slot {
  switch (block.type) {
    case 'text':
      return { kind: 'text', text: block.text };
    case 'tool_use':
      return { kind: 'call', name: block.name };
    case 'thinking':
    case 'redacted_thinking':
      return { kind: 'sealed', sealed: block };
  }
}
