import type { WorldEvent } from '@countersign/protocol';
import type { StoredEvent } from '../ports/index.js';
import { toPublicMessage } from './public-message.js';

/** Converts a stored event to the form that listeners get. */
export function toWorldEvent(stored: StoredEvent): WorldEvent {
  const { id, worldId, chatId } = stored;
  const envelope = chatId === null ? { id, worldId } : { id, worldId, chatId };
  switch (stored.event) {
    case 'message':
      return { ...envelope, event: 'message', data: toPublicMessage(stored.message) };
    case 'tool':
      return { ...envelope, event: 'tool', data: stored.data };
    case 'system':
      return { ...envelope, event: 'system', data: stored.data };
    case 'world':
      return { ...envelope, event: 'world', data: stored.data };
    case 'crud':
      return { ...envelope, event: 'crud', data: stored.data };
  }
}
