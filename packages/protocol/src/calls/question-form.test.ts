import { expect, it } from 'vitest';
import { fieldProblem } from './question-form.js';

const field = { name: 'f', label: 'F', isRequired: true, least: 2, most: 3 } as const;

it('[HTTP8.7] says at the field which limit a value exceeds', () => {
  expect(fieldProblem({ ...field, kind: 'number' }, 1)).toBe('Must be at least 2.');
  expect(fieldProblem({ ...field, kind: 'text' }, 'abcd')).toBe('Must be at most 3 characters.');
  expect(fieldProblem({ ...field, kind: 'text', most: 1, least: 0 }, 'ab')).toBe('Must be at most 1 character.');
  const choices = [{ value: 'a', label: 'A' }];
  expect(fieldProblem({ ...field, kind: 'choices', choices }, ['a'])).toBe('Choose at least 2 options.');
  expect(fieldProblem({ ...field, kind: 'choices', choices, least: 1 }, [])).toBe('Choose at least 1 option.');
});
