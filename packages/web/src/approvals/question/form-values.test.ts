import type { FormField } from '@countersign/protocol';
import { expect, it } from 'vitest';
import { defaultsOf, readTyped } from './form-values.js';

const fields: FormField[] = [
  { name: 'name', label: 'Name', kind: 'text', isRequired: true },
  { name: 'age', label: 'Age', kind: 'integer', isRequired: false, default: 42, most: 99 },
  { name: 'ok', label: 'Agree', kind: 'boolean', isRequired: true },
  {
    name: 'fish',
    label: 'Fish',
    kind: 'choices',
    isRequired: false,
    least: 1,
    choices: [{ value: 'eel', label: 'Eel' }],
  },
];

it('[HTTP8.7] a form starts with its defaults, and says at each field what is wrong', () => {
  const start = defaultsOf(fields);
  expect(start).toEqual({ name: '', age: '42', ok: false, fish: [] });
  expect(readTyped(fields, start).problems).toEqual({ name: 'Enter a value.' });
  expect(readTyped(fields, { ...start, name: 'Ada', age: '100' }).problems).toEqual({ age: 'Must be at most 99.' });
});

it('[HTTP8.7] sends typed values, and leaves out empty fields', () => {
  const typed = { name: ' Ada ', age: '', ok: true, fish: ['eel'] };
  expect(readTyped(fields, typed)).toEqual({ content: { name: 'Ada', ok: true, fish: ['eel'] }, problems: {} });
});
