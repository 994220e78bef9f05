import { expect, it } from 'vitest';
import { PasskeyFailure, problemOf } from './passkey-failure.js';

it('[WHO1.11] names what a browser refused, and says what to do', () => {
  const named = (name: string): Error => Object.assign(new Error('anything'), { name });
  expect(
    [
      'NotAllowedError',
      'AbortError',
      'InvalidStateError',
      'SecurityError',
      'NotSupportedError',
      'ConstraintError',
      'UnknownError',
    ].map((name) => problemOf(named(name))),
  ).toEqual(['cancelled', 'cancelled', 'known', 'host', 'unsupported', 'unsupported', 'failed']);
  expect(problemOf('text')).toBe('failed');
  expect(new PasskeyFailure('cancelled').message).toMatch(/cancelled/);
});
