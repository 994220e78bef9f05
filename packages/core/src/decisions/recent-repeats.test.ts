import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../testing/index.js';
import { createRecentRepeats } from './recent-repeats.js';

const outcome = { kind: 'repeated', status: 200, invocationId: 'call_1', state: 'succeeded' } as const;

describe('recent repeats', () => {
  it('[TURN7] evict the least recently used beyond the capacity', () => {
    const repeats = createRecentRepeats(createFakeClock(), { capacity: 2 });
    repeats.keep('a', outcome);
    repeats.keep('b', outcome);
    expect(repeats.find('a')).toBe(outcome);
    repeats.keep('c', outcome);
    expect(repeats.find('b')).toBeUndefined();
    expect(repeats.find('a')).toBe(outcome);
    expect(repeats.find('c')).toBe(outcome);
  });

  it('[TURN7] evict old entries, used or not', () => {
    const clock = createFakeClock();
    const repeats = createRecentRepeats(clock, { lifetimeMs: 1000 });
    repeats.keep('a', outcome);
    clock.advance(999);
    expect(repeats.find('a')).toBe(outcome);
    clock.advance(1);
    expect(repeats.find('a')).toBeUndefined();
  });
});
