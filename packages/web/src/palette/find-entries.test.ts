import { expect, it } from 'vitest';
import { findEntries } from './find-entries.js';

it('[PAGE9] finds entries by all typed words, those that start with them first', () => {
  const entries = ['The audit of May', 'Audit', 'Policy'].map((label) => ({ label, path: label, kind: 'Page' }));
  const find = (typed: string, most = 9): string[] => findEntries(entries, typed, most).map(({ label }) => label);
  expect(find('')).toEqual(['The audit of May', 'Audit', 'Policy']);
  expect(find(' AUD ')).toEqual(['Audit', 'The audit of May']);
  expect(find('may audit page')).toEqual(['The audit of May']);
  expect(find('audit', 1)).toEqual(['Audit']);
  expect(find('.*')).toEqual([]);
});
