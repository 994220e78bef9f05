import type { ModelMessage, ModelToolCall } from '@countersign/core/ports';

/** The ids and names of calls and their results in a vendor's API. */
export interface WireCalls {
  idOf(call: ModelToolCall): string;
  /** The id for a result, looked up by our id for its call. */
  resultId(message: Extract<ModelMessage, { role: 'tool' }>): string;
  nameOf(toolCallId: string): string;
}

/** Accepted as a call id by OpenAI, Anthropic and Google. */
const ID = /^[\w-]{1,64}$/;

/**
 * Returns a vendor's own id if it is valid and unique, and ours otherwise (MODEL5). Vendors reject conversations in which two calls
 * share an id.
 */
export function wireCalls(
  messages: readonly ModelMessage[],
  isId: RegExp = ID,
  own: (id: string) => string = (id) => id,
): WireCalls {
  const ids = new Map<string, string>();
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    for (const call of message.tool_calls ?? []) {
      const theirs = call.vendorId ?? '';
      const id = isId.test(theirs) && !taken.has(theirs) ? theirs : own(call.id);
      taken.add(id);
      ids.set(call.id, id);
      names.set(call.id, wireName(call.function.name));
    }
  }
  return {
    idOf: (call) => ids.get(call.id) ?? own(call.id),
    resultId: (message) => ids.get(message.tool_call_id) ?? message.vendorId ?? own(message.tool_call_id),
    nameOf: (id) => names.get(id) ?? 'unknown',
  };
}

/** Our tool names are valid for all vendors, but a model may have called an invalid name. */
export function wireName(name: string): string {
  const tidy = name.replaceAll(/[^\w-]/g, '_').slice(0, 64);
  return tidy === '' ? 'unknown' : tidy;
}
