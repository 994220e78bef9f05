import { expect, it } from 'vitest';
import { looksLike } from './looks-like.js';

it.each([
  ['Alice', 'ALICE'],
  ['Alice', '\u0410lice'],
  ['Alice', 'Ali\u0441e'],
  ['alice', '\u0410LICE'],
  ['Alice', 'Al\u200Bice'],
  ['Alice', '\uFF21lice'],
  ['Alice', 'AIice'],
  ['Alice', 'A1ice'],
  ['Bob', 'B\u03BFb'],
  ['Bob', 'B0b'],
  ['Ada  Byron', 'Ada Byron'],
  ['Ada Byron', 'Ada\u00A0Byron'],
  ['Marna', 'Mama'],
  ['\u0420\u043E\u043C\u0430', 'Po\u043Ca'],
])('[WHO4.10] %s looks like %s', (one, other) => {
  expect([looksLike(one, other), looksLike(other, one)]).toEqual([true, true]);
});

it.each([
  ['Alice', 'Alicia'],
  ['Ada', 'Ada 2'],
  ['Jörn', 'Jorn'],
  ['\u0410\u043D\u043D\u0430', 'Anna'],
  ['\u738B\u5C0F\u660E', '\u738B\u5927\u660E'],
])('[WHO4.10] %s and %s differ', (one, other) => expect(looksLike(one, other)).toBe(false));
