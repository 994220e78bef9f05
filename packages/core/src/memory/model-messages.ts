import {
  attachmentsIn,
  describeFile,
  type MessageAttachment,
  RESERVED_TOOL_PREFIX,
  type ToolCall,
} from '@countersign/protocol';
import type { MessageRecord, ModelMessage, ModelToolCall } from '../ports/index.js';
import { isApprovalId, undoId } from '../turn/ids.js';
import { reviewRequest } from './review-request.js';

/** What a view is built for. Provider state and vendor ids are returned only to the same provider and model (MODEL1, MODEL5). */
export interface ViewFor {
  provider: string;
  model: string;
  /** If false, results only describe their files. */
  takesImages: boolean;
  /** The world's `rev`, because a renamed agent is shown under its new name. */
  version: number;
  /** The display name of a message's speaker. */
  speakerName(message: MessageRecord): string | undefined;
}

/** A turn as a model sees it: its trigger, its calls with their results in call order, and its answer (WORLD14). */
export function toModelMessages(
  trigger: MessageRecord | undefined,
  own: readonly MessageRecord[],
  view: ViewFor,
): ModelMessage[] {
  const messages: ModelMessage[] = [];
  if (trigger !== undefined) messages.push(toUserMessage(trigger, view));
  const results = new Map<string, MessageRecord>();
  for (const message of own) {
    if (message.role === 'tool' && message.toolCallId !== null) results.set(message.toolCallId, message);
  }
  for (const message of own) {
    if (message.role === 'assistant') messages.push(...toAssistantMessages(message, results, view));
  }
  return messages;
}

function toUserMessage(message: MessageRecord, view: ViewFor): ModelMessage {
  const name = view.speakerName(message);
  const review = reviewRequest(message, name ?? '');
  if (review !== undefined) return { role: 'user', name: 'system', content: review };
  const said = { role: 'user' as const, ...(name === undefined ? {} : { name }) };
  if (message.attachments === null) return { ...said, content: message.content };
  const lines = message.attachments.map((file) => describeSent(file, view.takesImages));
  const attachments = message.attachments.filter(({ kind }) => kind === 'text' || view.takesImages);
  return { ...said, content: `${message.content}\n\n${lines.join('\n')}`, attachments };
}

/** A name is untrusted: it stays on one line, in quotes. */
function describeSent({ name, kind, mimeType, bytes }: MessageAttachment, takesImages: boolean): string {
  const unseen = kind === 'image' && !takesImages ? '; you cannot see pictures, so say so if you need it' : '';
  return `[attached: ${JSON.stringify(name)}, ${describeFile(mimeType, bytes)}${unseen}]`;
}

const STOPPED = 'A person stopped your answer here.';

/** Enough to tell calls of the same tool apart. */
const MAX_QUOTED = 200;

/** Pairs each call with its result regardless of row order, so that no vendor receives half of a pair. */
function toAssistantMessages(
  message: MessageRecord,
  results: ReadonlyMap<string, MessageRecord>,
  view: ViewFor,
): ModelMessage[] {
  const from = message.providerState;
  const same = from?.provider === view.provider && from.model === view.model ? from : undefined;
  const state = same === undefined || same.state === undefined ? {} : { providerState: same.state };
  const all = (message.toolCalls ?? []).map((call, index) => withVendorId(call, same?.vendorIds[index]));
  const calls = all.filter((call) => !isReserved(call));
  const refused = all.filter((call) => isReserved(call) && !isApprovalId(call.id));
  const messages: ModelMessage[] = [];
  if (calls.length > 0) messages.push({ role: 'assistant', content: message.content, tool_calls: calls, ...state });
  else if (message.content !== '') messages.push({ role: 'assistant', content: message.content, ...state });
  for (const call of calls) {
    const content = results.get(call.id)?.content ?? '{"error":"no result"}';
    const attachments = view.takesImages ? attachmentsIn(content) : [];
    messages.push({
      role: 'tool',
      tool_call_id: call.id,
      content,
      ...(attachments.length === 0 ? {} : { attachments }),
      ...(call.vendorId === undefined ? {} : { vendorId: call.vendorId }),
    });
  }
  for (const {
    id,
    function: { name, arguments: args },
  } of calls) {
    if (!results.has(undoId(id))) continue;
    const content = `A person has undone your call to ${name} (${args.slice(0, MAX_QUOTED)}): what it changed was reverted.`;
    messages.push({ role: 'user', name: 'system', content });
  }
  if (from?.stoppedBy !== undefined) messages.push({ role: 'user', name: 'system', content: STOPPED });
  // The call is removed (WORLD14), so its result becomes a text message. Otherwise, the model would retry the call.
  for (const call of refused) {
    messages.push({ role: 'user', name: 'system', content: results.get(call.id)?.content ?? 'that call was refused' });
  }
  return messages;
}

function withVendorId(call: ToolCall, vendorId: string | undefined): ModelToolCall {
  return vendorId === undefined || vendorId === '' ? call : { ...call, vendorId };
}

function isReserved(call: ToolCall): boolean {
  return call.function.name.startsWith(RESERVED_TOOL_PREFIX);
}

/** What an image costs in a budget: models count up to about 1,600 tokens. */
const IMAGE_CHARACTERS = 4_800;

/** The size of a message in characters, the unit of budgets. */
export function sizeOf(message: ModelMessage): number {
  let size = message.content.length + 16;
  if (message.role === 'tool') {
    for (const { kind } of message.attachments ?? []) if (kind === 'image') size += IMAGE_CHARACTERS;
  }
  if (message.role === 'user') {
    for (const { kind, bytes } of message.attachments ?? []) size += kind === 'image' ? IMAGE_CHARACTERS : bytes;
  }
  if (message.role !== 'assistant') return size;
  for (const call of message.tool_calls ?? []) size += call.function.name.length + call.function.arguments.length + 16;
  return size;
}
