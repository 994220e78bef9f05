import { expect, it } from 'vitest';
import { readPairs } from './read-pairs.js';

it('parses a value that contains equals signs', () => {
  expect(readPairs('A=1\r\n\n B = x=y\n')).toEqual({ pairs: { A: '1', B: ' x=y' } });
  expect(readPairs('')).toEqual({ pairs: {} });
});

it('reports a line that is not a pair, instead of dropping it', () => {
  expect(readPairs('A=1\nnothing')).toEqual({ wrong: 2 });
  expect(readPairs('=z')).toEqual({ wrong: 1 });
});
