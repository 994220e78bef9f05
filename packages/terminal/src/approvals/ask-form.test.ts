import type { FormField } from '@countersign/protocol';
import { expect, it } from 'vitest';
import { askForm, type FilledForm } from './ask-form.js';

const fields: FormField[] = [
  { name: 'name', label: 'Name', kind: 'text', isRequired: true },
  { name: 'age', label: 'Age', kind: 'integer', isRequired: false, default: 42, most: 99 },
  { name: 'ok', label: 'Agree', kind: 'boolean', isRequired: false },
  {
    name: 'fish',
    label: 'Fish',
    kind: 'choices',
    isRequired: false,
    choices: [
      { value: 'c', label: 'Cod' },
      { value: 'e', label: 'Eel' },
    ],
  },
];

async function fill(...lines: string[]): Promise<{ form: FilledForm; printed: string }> {
  const typed = [...lines];
  let printed = '';
  const form = await askForm(fields, {
    print: (text) => (printed += text),
    ask: () => Promise.resolve({ kind: 'line', text: typed.shift() ?? '' }),
  });
  return { form, printed };
}

it('[HTTP8.7] asks for each field, and again if a value is invalid', async () => {
  const { form, printed } = await fill('Ada', '100', '', 'perhaps', 'yes', '1, e');
  expect(form).toEqual({ kind: 'filled', content: { name: 'Ada', age: 42, ok: true, fish: ['c', 'e'] } });
  expect(printed).toContain('Must be at most 99.');
  expect(printed).toContain('Answer yes or no.');
  expect(printed).toContain('2: Eel');
});

it('[CALL15] an empty line at a required field answers nothing', async () => {
  expect((await fill('')).form).toEqual({ kind: 'unanswered' });
});
