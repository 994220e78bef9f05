import { expect, it } from 'vitest';
import { failureWords } from './failure-words.js';

it('[S3] [M9] tells you to check a call with an unknown outcome, and otherwise shows the tool’s error', () => {
  expect(failureWords({ error: 'stopped, outcome unknown', outcome: 'stopped' })).toBe(
    'Stopped before it finished. Check what it did before you retry.',
  );
  expect(failureWords({ error: 'interrupted, outcome unknown', outcome: 'interrupted' })).toBe(
    'Interrupted, outcome unknown. Check what it did before you retry.',
  );
  // Only the field matters: a tool could write the same text.
  expect(failureWords({ error: 'interrupted, outcome unknown' })).toBe('interrupted, outcome unknown');
});
