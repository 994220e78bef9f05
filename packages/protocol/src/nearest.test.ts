import { expect, it } from 'vitest';
import { nearest } from './nearest.js';

it('finds the closest known word', () => {
  expect(nearest('aprovals', ['approvals', 'agents'])).toBe('approvals');
  expect(nearest('zzz', ['approvals'])).toBeUndefined();
});
