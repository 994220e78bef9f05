import { ProviderError, type LLMResponse } from '@countersign/core/ports';
import type { GenerateContentResponse, Part } from '@google/genai';
import { toToolCall } from '../shared/arguments.js';
import { stateOf, thinkingOf, type Slot } from '../shared/replay.js';
import { cutShort, noAnswer, withheld, type Arrival } from '../shared/run-call.js';

/** Parts in order, with text chunks merged, so that streamed and whole answers are equal (MODEL3). */
interface TextPart {
  kind: 'text';
  text: string;
  thought: boolean;
  signature: string | undefined;
}
interface CallPart {
  kind: 'call';
  id: string;
  name: string;
  args: string;
  signature: string | undefined;
}

interface Draft {
  parts: (TextPart | CallPart)[];
  input: number;
  output: number;
  stop: string | undefined;
  blocked: string | undefined;
}

export function readResponse(response: GenerateContentResponse, name: string): LLMResponse {
  const draft = newDraft();
  addResponse(draft, response);
  return finish(draft, name);
}

export async function readStream(
  stream: AsyncIterable<GenerateContentResponse>,
  on: Arrival,
  name: string,
): Promise<LLMResponse> {
  const draft = newDraft();
  let came = false;
  for await (const response of stream) {
    came = true;
    for (const { text, thought } of addResponse(draft, response)) {
      if (text === '') continue;
      if (thought) on.onThinking?.(text);
      else on.onChunk(text);
    }
  }
  const answered = draft.parts.length > 0 || !came;
  if (draft.stop === undefined && draft.blocked === undefined && answered) throw cutShort();
  return finish(draft, name);
}

function newDraft(): Draft {
  return { parts: [], input: 0, output: 0, stop: undefined, blocked: undefined };
}

/** Returns the added text and thoughts. */
function addResponse(draft: Draft, response: GenerateContentResponse): Added[] {
  const { usageMetadata: usage, promptFeedback } = response;
  if (usage !== undefined) {
    draft.input = (usage.promptTokenCount ?? 0) + (usage.toolUsePromptTokenCount ?? 0);
    draft.output = (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0);
  }
  draft.blocked = promptFeedback?.blockReason ?? draft.blocked;
  const candidate = response.candidates?.[0];
  draft.stop = candidate?.finishReason ?? draft.stop;
  return (candidate?.content?.parts ?? []).map((part) => addPart(draft.parts, part));
}

interface Added {
  text: string;
  thought: boolean;
}
const NOTHING: Added = { text: '', thought: false };

function addPart(parts: Draft['parts'], part: Part): Added {
  const signature = part.thoughtSignature;
  if (part.functionCall !== undefined) {
    const { id, name, args } = part.functionCall;
    parts.push({ kind: 'call', id: id ?? '', name: name ?? '', args: JSON.stringify(args ?? {}), signature });
    return NOTHING;
  }
  if (part.text === undefined) return NOTHING;
  const thought = part.thought === true;
  const last = parts.at(-1);
  if (last?.kind === 'text' && last.thought === thought && last.signature === undefined) {
    last.text += part.text;
    last.signature = signature;
  } else if (part.text !== '' || signature !== undefined)
    parts.push({ kind: 'text', text: part.text, thought, signature });
  return { text: part.text, thought };
}

function finish(draft: Draft, name: string): LLMResponse {
  const { parts } = draft;
  const content = parts.map((part) => (part.kind === 'text' && !part.thought ? part.text : '')).join('');
  const calls = parts.filter((part) => part.kind === 'call');
  if (content === '' && calls.length === 0) checkEmptyAnswer(draft, name);
  const answer = {
    content,
    ...thinkingOf(parts.map((part) => (part.kind === 'text' && part.thought ? part.text : ''))),
    usage: { inputTokens: draft.input, outputTokens: draft.output },
    ...stateOf(parts.map(toSlot)),
  };
  if (calls.length === 0) return { type: 'text', ...answer };
  return { type: 'tool_calls', tool_calls: calls.map(({ id, name, args }) => toToolCall(id, name, args)), ...answer };
}

/** Fails on an empty answer, unless the model deliberately ended with one. */
function checkEmptyAnswer({ stop, blocked }: Draft, name: string): void {
  if (blocked !== undefined) throw withheld(name, blocked);
  switch (stop) {
    case 'STOP':
    case 'MAX_TOKENS':
      return;
    case undefined:
    case 'OTHER':
    case 'FINISH_REASON_UNSPECIFIED':
      throw noAnswer(name);
    case 'MALFORMED_FUNCTION_CALL':
    case 'UNEXPECTED_TOOL_CALL':
      // The model generated an invalid call; a retry usually helps.
      throw new ProviderError('overloaded', `the model made a malformed call, which ${name} rejected`);
    default:
      throw withheld(name, stop);
  }
}

function toSlot(part: TextPart | CallPart): Slot {
  const signature = part.signature === undefined ? {} : { thoughtSignature: part.signature };
  const sealed = part.signature === undefined ? {} : { sealed: signature };
  if (part.kind === 'call') return { kind: 'call', name: part.name, ...sealed };
  if (part.thought) return { kind: 'sealed', sealed: { text: part.text, thought: true, ...signature } };
  return { kind: 'text', text: part.text, ...sealed };
}
