import { expect, it } from 'vitest';
import { failureText } from './failure-text.js';

it('[STORE3] [WORLD9] [CHANGE2] tells you to check a call with an unknown outcome, and otherwise shows the tool’s error', () => {
  expect(failureText({ error: 'stopped, outcome unknown', outcome: 'stopped' })).toBe(
    'Stopped before it finished. Check what it did before you retry.',
  );
  expect(failureText({ error: 'interrupted, outcome unknown', outcome: 'interrupted' })).toBe(
    'Interrupted, outcome unknown. Check what it did before you retry.',
  );
  expect(failureText({ error: '"log" changed, so nothing was written', outcome: 'conflict' })).toBe(
    '"log" changed, so nothing was written. You can ask the agent to propose it again.',
  );
  // Only the field matters: a tool could write the same text.
  expect(failureText({ error: 'interrupted, outcome unknown' })).toBe('interrupted, outcome unknown');
});
