import { expect, it } from 'vitest';
import { auditRule, auditWhy } from './audit-text.js';

it('[LOG1] describes why a call ran, and leaves other texts unchanged', () => {
  expect(auditWhy({ kind: 'run', why: 'no-approval-needed' })).toBe('the tool needs no approval');
  expect(auditWhy({ kind: 'run', why: 'rule' })).toBe('a rule allows this call');
  expect(auditWhy({ kind: 'decision', why: 'decision' })).toBe('decision');
  expect(auditWhy({ kind: 'stop' })).toBe('');
});

it('[LOG1] shows the rule once', () => {
  const rule = 'ask pay by 2 of @finance';
  expect(auditRule({ why: `a rule requires approval: ${rule}`, rule })).toBeUndefined();
  expect(auditRule({ why: 'too expensive', rule })).toBe(rule);
  expect(auditRule({ why: 'stopped' })).toBeUndefined();
});
