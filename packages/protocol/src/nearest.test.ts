import { expect, it } from 'vitest';
import { nearest } from './nearest.js';

it('finds the word that was most likely meant', () => {
  expect(nearest('aprovals', ['approvals', 'agents'])).toBe('approvals');
  expect(nearest('zzz', ['approvals'])).toBeUndefined();
});
