import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { makeFolder } from '../../../../tests/support/make-folder.js';
import { readDiskClock } from '../files/disk-clock.js';
import { folderEntries } from './folder-entries.js';

let top = '';
let folder = '';
/** When the change times of now can't be those of a later change. */
const later = (): number => Date.now() + 60_000;

beforeEach(async () => {
  const made = await makeFolder();
  onTestFinished(made.remove);
  top = made.path;
  folder = join(top, 'many');
  mkdirSync(join(folder, 'inner'), { recursive: true });
  for (let file = 0; file < 300; file += 1) writeFileSync(join(folder, `${file}.txt`), '');
});

/** Until a change gets another change time than all earlier ones. */
const tick = async (): Promise<unknown> => await readDiskClock(join(top, 'clock'));

it('[CHANGE5.2] reads an unchanged folder of many files once', () => {
  const first = folderEntries(folder, later());
  expect(first).toEqual({ folders: ['inner'], links: [] });
  expect(folderEntries(folder)).toBe(first);
});

it('[CHANGE5.2] reads it again as long as a change could have the same time', () => {
  const first = folderEntries(folder);
  symlinkSync('0.txt', join(folder, 'link'));
  expect(first.links).toEqual([]);
  expect(folderEntries(folder).links).toEqual(['link']);
});

it.each([
  ['a new link', () => symlinkSync('0.txt', join(folder, 'link')), { folders: ['inner'], links: ['link'] }],
  ['a new folder', () => mkdirSync(join(folder, 'new')), { folders: ['inner', 'new'], links: [] }],
  ['a renamed folder', () => renameSync(join(folder, 'inner'), join(folder, 'x')), { folders: ['x'], links: [] }],
  [
    'a file that becomes a link',
    () => {
      unlinkSync(join(folder, '0.txt'));
      symlinkSync('1.txt', join(folder, '0.txt'));
    },
    { folders: ['inner'], links: ['0.txt'] },
  ],
  [
    'another folder of that name',
    () => {
      renameSync(folder, join(top, 'old'));
      mkdirSync(join(folder, 'other'), { recursive: true });
    },
    { folders: ['other'], links: [] },
  ],
  [
    'a new link and an old modification time',
    () => {
      symlinkSync('0.txt', join(folder, 'link'));
      utimesSync(folder, 1, 1);
    },
    { folders: ['inner'], links: ['link'] },
  ],
  ['nothing any more', () => rmSync(folder, { recursive: true }), { folders: [], links: [] }],
])('[CHANGE5.2] sees %s', async (_, change, seen) => {
  folderEntries(folder, later());
  await tick();
  change();
  const { folders, links } = folderEntries(folder);
  expect({ folders: [...folders].toSorted(), links }).toEqual(seen);
});
