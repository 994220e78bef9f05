import { RESERVED_TOOL_PREFIX, type ToolCall } from '@countersign/protocol';
import type { MessageRecord, ModelMessage, ModelToolCall } from '../ports/index.js';
import { isApprovalId } from '../turn/ids.js';

/** Who the view is made for: provider state and vendor ids go back only to the same provider and model (P1, P5). */
export interface ViewFor {
  provider: string;
  model: string;
  /** The world's `rev`: a renamed agent is called by its new name from then on. */
  version: number;
  /** What to call the speaker of a message. */
  speakerName(message: MessageRecord): string | undefined;
}

/** One turn as a model sees it: what it was told, its calls with their results in call order, its answer (C1). */
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
  return { role: 'user', content: message.content, ...(name === undefined ? {} : { name }) };
}

/** A call and its result are put side by side whatever the row order, so that no vendor sees half of a pair. */
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
    messages.push({
      role: 'tool',
      tool_call_id: call.id,
      content: results.get(call.id)?.content ?? '{"error":"no result"}',
      ...(call.vendorId === undefined ? {} : { vendorId: call.vendorId }),
    });
  }
  // The call itself is taken out (C1), so what came of it is said in words: a model that hears nothing would try again.
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

/** Characters a message brings into the view: what budgets are counted in. */
export function sizeOf(message: ModelMessage): number {
  let size = message.content.length + 16;
  if (message.role !== 'assistant') return size;
  for (const call of message.tool_calls ?? []) size += call.function.name.length + call.function.arguments.length + 16;
  return size;
}
