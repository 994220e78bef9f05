import type { Decision } from '@countersign/client';
import { describe, expect, it } from 'vitest';
import { after, type Current, nextCurrent } from './next-current.js';

const decision: Decision = { outcome: 'approved', scope: 'once', by: 'ada', at: '2026-01-01T00:00:00.000Z' };
const step = (current: Current, queue: string[], decided: string[] = [], mine: string[] = []): Current =>
  nextCurrent(current, queue, (id) => (decided.includes(id) ? decision : undefined), new Set(mine));

describe('[A12] one approval at a time', () => {
  it('begins with the oldest', () => {
    expect(step({ kind: 'none' }, ['a', 'b'])).toEqual({ kind: 'open', id: 'a' });
    expect(step({ kind: 'none' }, [])).toEqual({ kind: 'none' });
  });

  it('never replaces one that waits, whatever comes before it', () => {
    const current: Current = { kind: 'open', id: 'b' };
    expect(step(current, ['a', 'b', 'c'])).toBe(current);
  });

  it('goes on after one that was answered here', () => {
    expect(step({ kind: 'open', id: 'a' }, ['b'], ['a'], ['a'])).toEqual({ kind: 'open', id: 'b' });
  });

  it('holds one that was decided elsewhere until it was seen', () => {
    const held = step({ kind: 'open', id: 'a' }, ['b'], ['a']);
    expect(held).toEqual({ kind: 'held', id: 'a' });
    expect(step(held, ['b'], ['a'])).toBe(held);
  });

  it('does not offer again what was answered here a moment ago', () => {
    expect(step({ kind: 'none' }, ['a', 'b'], [], ['a'])).toEqual({ kind: 'open', id: 'b' });
  });

  it('can be passed over', () => {
    expect(after(['a', 'b', 'c'], 'c')).toBe('a');
    expect(after(['a'], 'a')).toBeUndefined();
  });
});
