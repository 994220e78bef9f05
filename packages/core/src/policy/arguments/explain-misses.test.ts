import { expect, it } from 'vitest';
import { plain, policies, reporting } from '../../testing/policy-calls.js';
import { explainMisses } from './explain-misses.js';

it('[RULE5] explains why each rule for a tool did not apply', () => {
  const rules = [
    'deny x(path=secret.txt)',
    'deny x(size > 5)',
    'deny x(*.key)',
    'allow x(path=notes.txt)',
    'allow x(size < 5, *)',
    'allow x(path=*, size=*)',
    'deny y',
  ];
  expect(explainMisses(policies(rules), plain({ path: 'notes.txt', size: '4' }))).toEqual([
    { rule: 'deny x(path=secret.txt)', code: 'different', argument: 'path', value: 'notes.txt' },
    { rule: 'deny x(size > 5)', code: 'different', argument: 'size', value: '4' },
    { rule: 'deny x(*.key)', code: 'pattern' },
    { rule: 'allow x(path=notes.txt)', code: 'unnamed', argument: 'size' },
    { rule: 'allow x(size < 5, *)', code: 'not-a-number', argument: 'size', value: '4' },
  ]);
  const shell = reporting({ command: 'ls' }, { kind: 'words', words: ['ls'] });
  expect(explainMisses(policies(['allow x(command=l*)', 'deny x(timeout > 5)']), shell)).toEqual([
    { rule: 'deny x(timeout > 5)', code: 'missing', argument: 'timeout' },
    { rule: 'allow x(command=l*)', code: 'not-spelt' },
  ]);
  const aboutEffects = policies(['allow x(ls) writing a/**', 'deny x(rm) removing *', 'deny x changing b/**']);
  expect(explainMisses(aboutEffects, shell)).toEqual([
    { rule: 'deny x(rm) removing *', code: 'pattern' },
    { rule: 'deny x changing b/**', code: 'effect-unknown' },
    { rule: 'allow x(ls) writing a/**', code: 'effect-unknown' },
  ]);
  const effect = { added: ['a/c'], changed: [], removed: [], outward: [], leftOut: [] };
  expect(explainMisses(aboutEffects, { ...shell, effect })).toEqual([
    { rule: 'deny x(rm) removing *', code: 'pattern' },
    { rule: 'deny x changing b/**', code: 'effect' },
  ]);
});
