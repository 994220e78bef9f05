import { expect, it } from 'vitest';
import { recordText } from './record-text.js';

it('[LOG1] a record has one canonical text: keys sorted at every level, without undefined', () => {
  const record = { why: 'x', arguments: [{ b: 1, a: undefined, c: { z: null, y: 2 } }], at: new Date(0) };
  expect(recordText(record)).toBe(
    '{"arguments":[{"b":1,"c":{"y":2,"z":null}}],"at":"1970-01-01T00:00:00.000Z","why":"x"}',
  );
});

it('[LOG1] numeric keys come first, in numeric order, as in all existing chains', () => {
  expect(recordText({ b: 0, '10': 1, '9': 2, a: 3 })).toBe('{"9":2,"10":1,"a":3,"b":0}');
});

it('[LOG1] a key named __proto__ is part of the text', () => {
  const text = '{"__proto__":{"a":1},"b":2}';
  expect(recordText(JSON.parse(text))).toBe(text);
});
