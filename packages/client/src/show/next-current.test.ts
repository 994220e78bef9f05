import { describe, expect, it } from 'vitest';
import { after, type Current, nextCurrent } from './next-current.js';

const step = (current: Current, queue: string[], taken: string[] = [], sending: string[] = []): Current =>
  nextCurrent(current, queue, { taken: new Set(taken), sending: new Set(sending) });

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
    // It waits after all: what was read of it before a cut was older than what is known now.
    expect(step(held, ['a', 'b'])).toEqual({ kind: 'open', id: 'a' });
  });

  it('does not take its own answer for another’s when the stream is faster than the reply', () => {
    const open: Current = { kind: 'open', id: 'a' };
    expect(step(open, ['b'], [], ['a'])).toBe(open);
    expect(step(open, ['b'], ['a'])).toEqual({ kind: 'open', id: 'b' });
    // Refused, because somebody was faster.
    expect(step(open, ['b'])).toEqual({ kind: 'held', id: 'a' });
  });

  it('can be passed over', () => {
    expect(after(['a', 'b', 'c'], 'c')).toBe('a');
    expect(after(['a', 'b', 'c'], 'a', -1)).toBe('c');
    expect(after(['a'], 'a')).toBeUndefined();
  });
});
