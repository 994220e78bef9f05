import type { ModelMessage, ModelToolCall } from '@countersign/core/ports';

/** How calls and their results are named to a vendor. */
export interface WireCalls {
  idOf(call: ModelToolCall): string;
  /** For a result, by the id of ours that it answers. */
  resultId(message: Extract<ModelMessage, { role: 'tool' }>): string;
  nameOf(toolCallId: string): string;
}

/** What OpenAI, Anthropic and Google all take as an id of a call. */
const ID = /^[\w-]{1,64}$/;

/**
 * A vendor gets its own id back where it gave a usable one, and ours everywhere else (P5). A repeated id becomes ours: vendors refuse
 * a conversation in which two calls share one, and nobody could tell their results apart.
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

/** Tools have names that vendors take, but a model may have called one that is none of them. */
export function wireName(name: string): string {
  const tidy = name.replaceAll(/[^\w-]/g, '_').slice(0, 64);
  return tidy === '' ? 'unknown' : tidy;
}
