import { expect, it } from 'vitest';
import { showQuestion } from './ask.js';

it.each([
  ['an invisible character', 'safe\u202Egpj.exe', 'safe‹U+202E›gpj.exe'],
  ['a secret', 'hush-hush', '‹masked'],
])('[SAFE6] a form with %s is not sent; its question is shown as text', (_what, label, shown) => {
  const field = { name: 'field', label, kind: 'text', isRequired: true } as const;
  const question = showQuestion({ text: label, choices: [], form: { lead: 'Please', fields: [field] } }, ['hush-hush']);
  expect(question).toEqual({ text: expect.stringContaining(shown) as string, choices: [] });
});
