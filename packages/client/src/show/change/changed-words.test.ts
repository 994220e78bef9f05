import { expect, it } from 'vitest';
import { changedWords } from './changed-words.js';

const marked = (text: string, other: string): string | undefined => {
  const found = changedWords(text, other);
  return found && text.slice(found.from, found.to);
};

it('[PAGE4.9] finds the words of a line that differ from the line that it replaces', () => {
  expect(marked('const first = read(path);', 'const second = read(path);')).toBe('first');
  expect(marked('const userName = 1;', 'const userId = 1;')).toBe('userName');
  expect(marked('read(path, how)', 'read(path)')).toBe(', how');
  expect(marked('read(path)', 'read(path, how)')).toBeUndefined();
  expect(marked('a 😀 b', 'a 😁 b')).toBe('😀');
  expect(marked('something else', 'not alike at all')).toBeUndefined();
  expect(marked('same', 'same')).toBeUndefined();
});
