import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../../../tests/support/any-character.js';
import { fillMessage } from './fill-message.js';

describe('fillMessage', () => {
  it.each([
    ['Run {command}?', { command: 'ls' }, 'Run ls?'],
    ['{a.b} and {a.c.0}', { a: { b: 'x', c: ['y'] } }, 'x and y'],
    ['{a.b}', { 'a.b': 'flat', a: { b: 'nested' } }, 'flat'],
    ['{n} {on} {none} {list}', { n: 1, on: true, none: null, list: [1, { a: 'b' }] }, '1 true null [1,{"a":"b"}]'],
    ['{missing} {a.missing} { a } {}', { a: 1 }, '{missing} {a.missing} { a } {}'],
    ['{constructor} {toString.name} {__proto__}', {}, '{constructor} {toString.name} {__proto__}'],
    ['{a}', 'no object', '{a}'],
  ])('[CALL1.1] %s', (template, filledFrom, message) => {
    expect(fillMessage(template, filledFrom)).toBe(message);
  });

  it('[CALL1.1] a placeholder inside an argument is not filled', () => {
    expect(fillMessage('{a} {b}', { a: '{b} $& $1', b: '{a}' })).toBe('{b} $& $1 {a}');
  });

  it('[CALL1.1] keeps the placeholder of a value that can’t be serialized', () => {
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    expect(fillMessage('{self}', circular)).toBe('{self}');
  });

  it('[CALL1.1] inserts any text literally', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(fillMessage('<{a}>', { a: text })).toBe(`<${text}>`);
      }),
      { numRuns: 200 },
    );
  });
});
