import { expect, it } from 'vitest';
import { readPairs } from './read-pairs.js';

it('reads a value with its equal signs', () => {
  expect(readPairs('A=1\r\n\n B = x=y\n')).toEqual({ pairs: { A: '1', B: ' x=y' } });
  expect(readPairs('')).toEqual({ pairs: {} });
});

it('names a line that is no pair, instead of leaving it out', () => {
  expect(readPairs('A=1\nnothing')).toEqual({ wrong: 2 });
  expect(readPairs('=z')).toEqual({ wrong: 1 });
});
