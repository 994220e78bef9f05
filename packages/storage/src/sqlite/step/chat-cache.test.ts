import type { ChatState } from '@countersign/core/ports';
import { EMPTY_CHAT } from '@countersign/core/testing';
import { describe, expect, it } from 'vitest';
import { createStateCache } from './chat-cache.js';

describe('the state cache', () => {
  it('[LIMIT1] keeps the most recently used chats, up to a limit', () => {
    const cache = createStateCache(4, 1_000);
    for (const id of ['a', 'b', 'c', 'd']) cache.keep(stateOf(id));
    cache.trim();
    cache.chat('a');
    cache.keep(stateOf('e'));
    cache.trim();
    expect(left(cache, 'abcde')).toBe('ae');
  });

  it('[LIMIT1] limits the total text, and subtracts evicted chats', () => {
    const cache = createStateCache(99, 1_000);
    const first = cache.keep(stateOf('a'));
    cache.keep(stateOf('b'));
    cache.grow(first, 1_000);
    cache.trim();
    expect(left(cache, 'ab')).toBe('ab');
    cache.grow(first, 1);
    cache.trim();
    expect(left(cache, 'ab')).toBe('b');
    const second = cache.keep(stateOf('a'));
    cache.grow(second, 1_000);
    cache.keep(stateOf('a'));
    cache.grow(cache.keep(stateOf('c')), 1_000);
    cache.trim();
    expect(left(cache, 'abc')).toBe('abc');
  });

  it('[LIMIT1] limits the number of worlds, including unknown ones', () => {
    const cache = createStateCache(4, 1_000);
    cache.world('a').working = 1;
    for (const id of ['b', 'c', 'd']) cache.world(id).rev = null;
    cache.trim();
    expect(cache.world('a').working).toBe(1);
    cache.world('e').rev = null;
    cache.trim();
    expect(cache.world('a')).toEqual({});
  });
});

function left(cache: ReturnType<typeof createStateCache>, ids: string): string {
  return ids
    .split('')
    .filter((id) => cache.chat(id) !== undefined)
    .join('');
}

function stateOf(id: string): ChatState {
  const chat = {
    id,
    worldId: 'w',
    title: '',
    titled: true,
    ...EMPTY_CHAT,
    createdAt: 1,
  } as const;
  return { chat, turns: new Map(), calls: new Map(), approvals: new Map(), startedTurns: new Map() };
}
