import { expect, it } from 'vitest';
import { nearest } from './nearest.js';

it('finds the closest known word', () => {
  expect(nearest('aprovals', ['approvals', 'agents'])).toBe('approvals');
  expect(nearest('lits', ['show', 'list'])).toBe('list');
  expect(nearest('zzz', ['approvals'])).toBeUndefined();
});
