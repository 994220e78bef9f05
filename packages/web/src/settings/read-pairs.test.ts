import { expect, it } from 'vitest';
import { readPairs } from './read-pairs.js';

it('reads a value with its equal signs, and no line without a name', () => {
  expect(readPairs('A=1\r\n B = x=y\n=z\nnothing')).toEqual({ A: '1', B: ' x=y' });
});
