import { describe, expect, it } from 'vitest';
import { checkInterleavings, LIMIT_MS, RUNS } from '../../../tests/support/interleavings.js';
import { change, talk } from './testing/lab-arbitraries.js';

describe('any order of responses, messages, decisions, results and stops', () => {
  it(
    '[T1] [T2] [T4] [T5] [T6] [T8] [T9] keeps tool turns in order',
    async () => {
      expect(await checkInterleavings(talk)).toBe(RUNS);
    },
    LIMIT_MS,
  );
  it(
    '[A4] [A5] [A6] [A7] [A8] [M9] [W5] runs only approved calls, each once',
    async () => {
      expect(await checkInterleavings([...talk, ...change])).toBe(RUNS);
    },
    LIMIT_MS,
  );
});
