import { expect, it } from 'vitest';
import { ruleMissText } from './rule-miss.js';

it.each([
  [{ code: 'different', argument: 'path', value: 'notes.txt' }, 'path is notes.txt'],
  [{ code: 'different', argument: 'path', value: '' }, 'path is empty'],
  [{ code: 'missing', argument: 'to' }, 'the call has no argument to'],
  [{ code: 'not-a-number', argument: 'amount', value: '5' }, 'amount is not a number'],
  [{ code: 'unnamed', argument: 'amount' }, 'the call also has amount. Add it to the rule, or end the rule with ", *"'],
  [{ code: 'effect' }, 'it is about other effects than those of this call'],
  [{ code: 'effect-unknown' }, 'it is about what the call does, and the call was not rehearsed'],
  [{ code: 'pattern' }, 'its pattern does not match'],
] as const)('[RULE5] explains why a rule did not apply: %j', (miss, words) => {
  expect(ruleMissText({ rule: 'deny x', ...miss })).toBe(words);
});
