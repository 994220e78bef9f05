import { describe, expect, it } from 'vitest';
import { after, nextCurrent } from './current-card.js';

const none = { sending: new Set<string>(), taken: new Set<string>() };

describe('the card in front of the person', () => {
  it('[A12] is the oldest, and is not replaced while it waits', () => {
    expect(nextCurrent({ kind: 'none' }, ['a', 'b'], none)).toEqual({ kind: 'open', id: 'a' });
    expect(nextCurrent({ kind: 'open', id: 'b' }, ['a', 'b'], none)).toEqual({ kind: 'open', id: 'b' });
    expect(nextCurrent({ kind: 'none' }, [], none)).toEqual({ kind: 'none' });
  });

  it('stays when it was decided elsewhere, and goes when it was decided here', () => {
    expect(nextCurrent({ kind: 'open', id: 'a' }, ['b'], none)).toEqual({ kind: 'held', id: 'a' });
    expect(nextCurrent({ kind: 'held', id: 'a' }, ['a', 'b'], none)).toEqual({ kind: 'open', id: 'a' });
    expect(nextCurrent({ kind: 'open', id: 'a' }, ['b'], { ...none, sending: new Set(['a']) })).toEqual({
      kind: 'open',
      id: 'a',
    });
    expect(nextCurrent({ kind: 'open', id: 'a' }, ['a', 'b'], { ...none, taken: new Set(['a']) })).toEqual({
      kind: 'open',
      id: 'b',
    });
  });

  it('[A12] is followed by the next, round and round', () => {
    expect(after(['a', 'b', 'c'], 'c', 1)).toBe('a');
    expect(after(['a', 'b', 'c'], 'a', -1)).toBe('c');
    expect(after(['a'], 'a', 1)).toBeUndefined();
  });
});
