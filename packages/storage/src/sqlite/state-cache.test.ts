import type { ChatState } from '@countersign/core/ports';
import { describe, expect, it } from 'vitest';
import { createStateCache } from './state-cache.js';

describe('the state cache', () => {
  it('[N1] keeps the most recently used chats, up to a limit', () => {
    const kept = createStateCache(4, 1_000);
    for (const id of ['a', 'b', 'c', 'd']) kept.keep(stateOf(id));
    kept.trim();
    kept.chat('a');
    kept.keep(stateOf('e'));
    kept.trim();
    expect(left(kept, 'abcde')).toBe('ae');
  });

  it('[N1] limits the total text, and subtracts what is dropped', () => {
    const kept = createStateCache(99, 1_000);
    const first = kept.keep(stateOf('a'));
    kept.keep(stateOf('b'));
    kept.grow(first, 1_000);
    kept.trim();
    expect(left(kept, 'ab')).toBe('ab');
    kept.grow(first, 1);
    kept.trim();
    expect(left(kept, 'ab')).toBe('b');
    const second = kept.keep(stateOf('a'));
    kept.grow(second, 1_000);
    kept.keep(stateOf('a'));
    kept.grow(kept.keep(stateOf('c')), 1_000);
    kept.trim();
    expect(left(kept, 'abc')).toBe('abc');
  });

  it('[N1] limits the number of worlds, including unknown ones', () => {
    const kept = createStateCache(4, 1_000);
    kept.world('a').working = 1;
    for (const id of ['b', 'c', 'd']) kept.world(id).rev = null;
    kept.trim();
    expect(kept.world('a').working).toBe(1);
    kept.world('e').rev = null;
    kept.trim();
    expect(kept.world('a')).toEqual({});
  });
});

function left(kept: ReturnType<typeof createStateCache>, ids: string): string {
  return ids
    .split('')
    .filter((id) => kept.chat(id) !== undefined)
    .join('');
}

function stateOf(id: string): ChatState {
  const chat = {
    id,
    worldId: 'w',
    title: '',
    titled: true,
    status: 'idle',
    lastSeq: 0,
    humanSeq: 0,
    createdAt: 1,
  } as const;
  return { chat, turns: new Map(), calls: new Map(), approvals: new Map(), begun: new Map() };
}
