import type { Message } from '@countersign/protocol';
import type { EventBus } from '../publishers/event-bus.js';

/** Hears the chat messages of one agent: what it says, and nothing of its tools (M12). The returned function ends it. */
export function subscribeAgentToMessages(
  bus: EventBus,
  worldId: string,
  agentId: string,
  listener: (message: Message) => void | Promise<void>,
): () => void {
  return bus.subscribe(worldId, (event) => {
    if (event.event !== 'message' || event.data.role === 'tool' || event.data.agentId !== agentId) return undefined;
    return listener(event.data);
  });
}

/** Hears the decisions and results that belong to one agent's calls, and to nobody else's (A6). */
export function subscribeAgentToToolMessages(
  bus: EventBus,
  worldId: string,
  agentId: string,
  listener: (message: Message) => void | Promise<void>,
): () => void {
  return bus.subscribe(worldId, (event) => {
    if (event.event !== 'message' || event.data.role !== 'tool' || event.data.agentId !== agentId) return undefined;
    return listener(event.data);
  });
}
