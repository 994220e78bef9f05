import { expect, it } from 'vitest';
import { isReadOnly } from './read-only-tools.js';

it('[CALL1] a tool counts as read-only only if its declaration is trusted', () => {
  expect(isReadOnly({ readOnly: true, trusted: true })).toBe(true);
  expect(isReadOnly({ readOnly: true, trusted: false })).toBe(false);
  expect(isReadOnly({ readOnly: false, trusted: true })).toBe(false);
  expect(isReadOnly({ trusted: true })).toBe(false);
});
