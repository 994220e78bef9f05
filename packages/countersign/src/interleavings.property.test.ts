import { describe, expect, it } from 'vitest';
import { checkInterleavings, LIMIT_MS, RUNS } from '../../../tests/support/interleavings.js';
import { change, talk } from './testing/lab-arbitraries.js';

describe('any order of responses, messages, decisions, results and stops', () => {
  it(
    '[TURN1] [TURN2] [TURN4] [TURN5] [TURN6] [TURN8] [TURN9] keeps tool turns in order',
    async () => {
      expect(await checkInterleavings(talk)).toBe(RUNS);
    },
    LIMIT_MS,
  );
  it(
    '[CALL4] [CALL5] [CALL6] [CALL7] [CALL8] [WORLD9] [HTTP14] runs only approved calls, each once',
    async () => {
      expect(await checkInterleavings([...talk, ...change])).toBe(RUNS);
    },
    LIMIT_MS,
  );
});
