import { describe, expect, it } from 'vitest';
import { after, type Current, nextCurrent, replacementOf } from './next-current.js';

const step = (current: Current, queue: string[], taken: string[] = [], sending: string[] = []): Current =>
  nextCurrent(current, queue, { taken: new Set(taken), sending: new Set(sending) });

describe('[CALL12] one approval at a time', () => {
  it('starts with the oldest', () => {
    expect(step({ kind: 'none' }, ['a', 'b'])).toEqual({ kind: 'open', id: 'a' });
    expect(step({ kind: 'none' }, [])).toEqual({ kind: 'none' });
  });

  it('never replaces a pending approval, even if an older one arrives', () => {
    const current: Current = { kind: 'open', id: 'b' };
    expect(step(current, ['a', 'b', 'c'])).toBe(current);
  });

  it('moves on after the person answers, even before the server confirms it', () => {
    expect(step({ kind: 'open', id: 'a' }, ['b'], ['a'])).toEqual({ kind: 'open', id: 'b' });
    expect(step({ kind: 'open', id: 'a' }, ['a', 'b'], ['a'])).toEqual({ kind: 'open', id: 'b' });
    expect(step({ kind: 'open', id: 'a' }, ['a'], ['a'])).toEqual({ kind: 'none' });
  });

  it('[CHANGE6.9] goes from an edited call to the approval that replaces it, and stays until that one arrives', () => {
    const calls: Record<string, { invocationId: string }> = {
      a: { invocationId: '1' },
      b: { invocationId: '2' },
      a2: { invocationId: '1' },
    };
    const edit = { approvalId: 'a', invocationId: '1' };
    const next = (current: Current, queue: string[]): Current =>
      nextCurrent(current, queue, { taken: new Set(), sending: new Set() }, (id) =>
        id === 'a' ? (replacementOf(edit, queue, (each) => calls[each]) ?? id) : undefined,
      );
    const open: Current = { kind: 'open', id: 'a' };
    expect(next(open, ['a', 'b'])).toEqual(open);
    expect(next(open, ['b'])).toEqual(open);
    expect(next(open, ['b', 'a2'])).toEqual({ kind: 'open', id: 'a2' });
    expect(next({ kind: 'open', id: 'a2' }, ['b', 'a2'])).toEqual({ kind: 'open', id: 'a2' });
  });

  it('keeps an approval that was decided elsewhere until the person has seen it', () => {
    const held = step({ kind: 'open', id: 'a' }, ['b']);
    expect(held).toEqual({ kind: 'held', id: 'a' });
    expect(step(held, ['b'])).toBe(held);
    // The approval is still pending: the state before the disconnect was outdated.
    expect(step(held, ['a', 'b'])).toEqual({ kind: 'open', id: 'a' });
  });

  it('doesn’t mistake its own answer for another person’s if the stream is faster than the response', () => {
    const open: Current = { kind: 'open', id: 'a' };
    expect(step(open, ['b'], [], ['a'])).toBe(open);
    expect(step(open, ['b'], ['a'])).toEqual({ kind: 'open', id: 'b' });
    // Rejected, because someone else decided first.
    expect(step(open, ['b'])).toEqual({ kind: 'held', id: 'a' });
  });

  it('allows skipping one', () => {
    expect(after(['a', 'b', 'c'], 'c')).toBe('a');
    expect(after(['a', 'b', 'c'], 'a', -1)).toBe('c');
    expect(after(['a'], 'a')).toBeUndefined();
  });
});
