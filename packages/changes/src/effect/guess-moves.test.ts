import { lstat, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeFolder, type TestFolder } from '../../../../tests/support/make-folder.js';
import { versionOf } from '../plan/plan.js';
import { guessMoves } from './guess-moves.js';
import type { Change } from './list-changes.js';

let folder: TestFolder;
beforeEach(async () => {
  folder = await makeFolder();
});
afterEach(() => folder.remove());

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const added = (path: string, text: string): Change => ({
  do: 'put',
  path,
  kind: 'file',
  mode: 0o644,
  uid: 0,
  gid: 0,
  bytes: text.length,
  hash: hashOf(text),
  target: '',
  sameAs: '',
  was: '',
});
const removed = async (path: string, text: string): Promise<Change> => {
  await writeFile(join(folder.path, path), text);
  const stats = await lstat(join(folder.path, path), { bigint: true });
  return { do: 'remove', path, was: [['', versionOf(stats)]] };
};

it('[CHANGE8.1] pairs each removed file with the first new one of the same content', async () => {
  const gone = [await removed('1', 'same'), await removed('2', 'same'), await removed('3', 'else')];
  const moves = await guessMoves(folder.path, [...gone, added('a', 'same'), added('b', 'same'), added('c', 'othr')]);
  expect([...moves.to].map(([to, { path }]) => [to, path])).toEqual([
    ['a', '1'],
    ['b', '2'],
  ]);
  expect([...moves.from]).toEqual(['1', '2']);
});

it('[CHANGE8.1] reads no large files that were removed: they are shown as removed and added', async () => {
  const large = 'x'.repeat(1024 ** 2 + 1);
  const moves = await guessMoves(folder.path, [await removed('1', large), added('a', large)]);
  expect([...moves.to.keys()]).toEqual([]);
});

it('[CHANGE8.1] a command that adds very many files of one size does not block the server', async () => {
  const one = added('one', 'same');
  const many = Array.from({ length: 100_000 }, (_, index) => ({ ...one, path: `new/${index}`, hash: `${index}` }));
  const moves = await guessMoves(folder.path, [...many, one, await removed('old', 'same')]);
  expect([...moves.to.keys()]).toEqual(['one']);
});
