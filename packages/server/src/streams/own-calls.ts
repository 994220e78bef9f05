import type { StoredEvent, StoreReader } from '@countersign/core/ports';
import type { WorldEvent } from '@countersign/protocol';

/** Unmasked arguments by call id. */
export type OwnCalls = ReadonlyMap<string, unknown>;

/** Unmasked arguments for calls to the reader's own tools; everyone else gets them masked (SAFE6, CALL16). */
export async function readOwnCalls(
  reader: StoreReader,
  events: readonly StoredEvent[],
  ownTools: ReadonlySet<string>,
): Promise<OwnCalls> {
  const calls = new Map<string, unknown>();
  for (const event of ownTools.size === 0 ? [] : events) {
    if (event.event !== 'tool' || event.data.type !== 'TOOL_EXECUTION_STARTED') continue;
    const { invocation_id, tool_name } = event.data;
    const call = ownTools.has(tool_name) ? await reader.invocation(invocation_id) : undefined;
    if (call !== undefined) calls.set(invocation_id, JSON.parse(call.arguments));
  }
  return calls;
}

export function withRealArguments(event: WorldEvent, calls: OwnCalls): WorldEvent {
  if (event.event !== 'tool' || event.data.type !== 'TOOL_EXECUTION_STARTED') return event;
  const { invocation_id } = event.data;
  if (!calls.has(invocation_id)) return event;
  return { ...event, data: { ...event.data, arguments: calls.get(invocation_id) } };
}
