import { describe, expect, it } from 'vitest';
import { freeName, isReservedName, nameFrom, nameSchema } from './names.js';

describe('a name', () => {
  it('[CALL17.3] can’t be a reserved name', () => {
    for (const name of ['human', 'User', 'WORLD', 'system', 'you', 'You', 'ＹＯＵ', 'notice'])
      expect([name, isReservedName(name), nameSchema.safeParse(name).success]).toEqual([name, true, false]);
    for (const name of ['Ada', 'Young', 'you too', 'Notices']) expect(nameSchema.safeParse(name).success).toBe(true);
  });
});

it.each([
  ['/home/me/my project/', 'my project'],
  ['C:\\work\\repo', 'repo'],
  ['/src/my.app', 'my app'],
  ['/srv/.hidden@2!', 'hidden 2'],
  ['/src/-- \u001b[31mred', '31mred'],
  ['/src/हिन्दी', 'हिन्दी'],
  ['/src/world', 'world project'],
  [`/src/${'x'.repeat(300)}`, 'x'.repeat(64)],
  [`/src/${'x'.repeat(63)}𝒳`, 'x'.repeat(63)],
])('[TERM1.3] the path %j yields a valid name', (path, name) => {
  expect(nameFrom(path, 'project')).toBe(name);
  expect(nameSchema.safeParse(name).success).toBe(true);
});

it('a path without a letter or digit gives no name', () => {
  for (const path of ['/', '', '/src/…', '/src/ - ']) expect(nameFrom(path, 'project')).toBe('');
});

it('a taken name gets a number, and stays within the limit', () => {
  expect(freeName('OpenAI', [])).toBe('OpenAI');
  expect(freeName('OpenAI', ['openai', 'OPENAI 2'])).toBe('OpenAI 3');
  expect(freeName('abcdef', ['abcdef'], { separator: '-', longest: 6 })).toBe('abcd-2');
});
