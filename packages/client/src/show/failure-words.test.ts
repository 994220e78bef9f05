import { expect, it } from 'vitest';
import { failureWords } from './failure-words.js';

it('[S3] [M9] says what to do about a call whose outcome nobody knows, and otherwise what its tool said', () => {
  expect(failureWords({ error: 'stopped, outcome unknown', outcome: 'stopped' })).toMatch(/^Stopped: .*Check before/);
  expect(failureWords({ error: 'interrupted, outcome unknown', outcome: 'interrupted' })).toMatch(/^Interrupted: /);
  // By the field alone: a tool may write the same words.
  expect(failureWords({ error: 'interrupted, outcome unknown' })).toBe('interrupted, outcome unknown');
});
