import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import type { Key } from './key.js';
import { readStdin } from './read-stdin.js';

it('[CALL15] reports the end of input, not a key press', async () => {
  const stdin = Object.assign(new PassThrough(), { setRawMode: () => undefined });
  const pressed: Key[] = [];
  const ended = new Promise<void>((end) => {
    readStdin(stdin as unknown as NodeJS.ReadStream, { press: (key) => void pressed.push(key), end });
  });
  stdin.end('o');
  await ended;
  expect(pressed).toEqual([{ kind: 'char', text: 'o' }]);
});
