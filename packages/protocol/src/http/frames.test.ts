import { describe, expect, it } from 'vitest';
import { readFrame, toFrame } from './frames.js';
import type { WorldEvent } from './events.js';

describe('frames of an event stream', () => {
  const message = {
    messageId: 'msg_1',
    chatId: 'chat_1',
    role: 'user' as const,
    sender: 'human',
    content: 'a\nb',
    createdAt: '2026-01-01T00:00:00.000Z',
  };
  const events: WorldEvent[] = [
    { id: 1, worldId: 'harbour', chatId: 'chat_1', event: 'message', data: message },
    {
      id: 1,
      worldId: 'harbour',
      chatId: 'chat_1',
      event: 'sse',
      data: { type: 'chunk', messageId: 'm', agentName: 'A', content: 'x', attempt: 1, offset: 0 },
    },
    { id: 2, worldId: 'harbour', chatId: 'chat_1', event: 'world', data: { type: 'idle', pendingOperations: 0 } },
    { id: 3, worldId: 'harbour', event: 'crud', data: { operation: 'delete', entity: 'chat', id: 'chat_1' } },
  ];

  it.each(events)('[HTTP13.1] a frame of "$event" round-trips', (event) => {
    expect(readFrame(toFrame(event), 'harbour')).toEqual({ kind: 'event', event });
  });

  it('[HTTP13] an unknown event or field of a newer server is not an error', () => {
    expect(readFrame({ id: '4', event: 'weather', data: '{}' }, 'w')).toEqual({ kind: 'unknown', name: 'weather' });
    const more = { type: 'idle', pendingOperations: 0, mood: 'calm' };
    expect(readFrame({ id: '4', event: 'world', data: JSON.stringify(more) }, 'w')).toEqual({
      kind: 'event',
      event: { id: 4, worldId: 'w', event: 'world', data: { type: 'idle', pendingOperations: 0 } },
    });
  });

  it.each([
    ['no JSON', { id: '1', event: 'world', data: '{' }],
    ['not an object', { id: '1', event: 'world', data: 'null' }],
    ['an unknown type', { id: '1', event: 'world', data: '{"type":"asleep"}' }],
    ['no id', { event: 'world', data: '{"type":"idle","pendingOperations":0}' }],
    ['an id that is not a number', { id: 'x', event: 'world', data: '{"type":"idle","pendingOperations":0}' }],
    [
      'a chat id that is not a string',
      { id: '1', event: 'world', data: '{"type":"idle","pendingOperations":0,"chatId":7}' },
    ],
    ['a name on Object.prototype', { id: '1', event: 'constructor', data: '{}' }],
  ])('[HTTP13] reports a malformed frame without throwing: %s', (_what, frame) => {
    expect(['malformed', 'unknown']).toContain(readFrame(frame, 'w').kind);
  });

  it('[STORE6.1] recognizes a reset by its name', () => {
    expect(readFrame({ event: 'reset', data: '' }, 'w')).toEqual({ kind: 'reset' });
  });
});
