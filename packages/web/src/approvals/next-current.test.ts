import { describe, expect, it } from 'vitest';
import { after, type Current, nextCurrent } from './next-current.js';

const step = (current: Current, queue: string[], mine: string[] = []): Current =>
  nextCurrent(current, queue, new Set(mine));

describe('[A12] one approval at a time', () => {
  it('begins with the oldest', () => {
    expect(step({ kind: 'none' }, ['a', 'b'])).toEqual({ kind: 'open', id: 'a' });
    expect(step({ kind: 'none' }, [])).toEqual({ kind: 'none' });
  });

  it('never replaces one that waits, whatever comes before it', () => {
    const current: Current = { kind: 'open', id: 'b' };
    expect(step(current, ['a', 'b', 'c'])).toBe(current);
  });

  it('goes on after one that was answered here, also before the server has said so', () => {
    expect(step({ kind: 'open', id: 'a' }, ['b'], ['a'])).toEqual({ kind: 'open', id: 'b' });
    expect(step({ kind: 'open', id: 'a' }, ['a', 'b'], ['a'])).toEqual({ kind: 'open', id: 'b' });
    expect(step({ kind: 'open', id: 'a' }, ['a'], ['a'])).toEqual({ kind: 'none' });
  });

  it('holds one that was decided elsewhere until it was seen', () => {
    const held = step({ kind: 'open', id: 'a' }, ['b']);
    expect(held).toEqual({ kind: 'held', id: 'a' });
    expect(step(held, ['b'])).toBe(held);
  });

  it('can be passed over', () => {
    expect(after(['a', 'b', 'c'], 'c')).toBe('a');
    expect(after(['a'], 'a')).toBeUndefined();
  });
});
