import { expect, it } from 'vitest';
import { failureWords } from './failure-words.js';

it('[S3] [M9] says what to do about a call whose outcome nobody knows, and otherwise what its tool said', () => {
  expect(failureWords({ error: 'stopped, outcome unknown', outcome: 'stopped' })).toBe(
    'Stopped before it finished. Check what it did before you retry.',
  );
  expect(failureWords({ error: 'interrupted, outcome unknown', outcome: 'interrupted' })).toBe(
    'Interrupted, outcome unknown. Check what it did before you retry.',
  );
  // By the field alone: a tool may write the same words.
  expect(failureWords({ error: 'interrupted, outcome unknown' })).toBe('interrupted, outcome unknown');
});
