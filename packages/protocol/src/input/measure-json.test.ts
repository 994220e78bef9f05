import { expect, it } from 'vitest';
import { measureJson } from './measure-json.js';

it.each<[string, { values: number; depth: number }]>([
  ['1', { values: 0, depth: 0 }],
  ['{"a":1,"b":[2,3]}', { values: 4, depth: 2 }],
  ['{"a,[{":"\\",[{\\\\"}', { values: 1, depth: 1 }],
  ['[[],[]]', { values: 4, depth: 2 }],
  ['[[[', { values: 3, depth: 3 }],
])('[TURN11.1] measures %j without parsing it', (text, measured) => {
  expect(measureJson(text)).toEqual(measured);
});
