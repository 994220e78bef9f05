import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeFolder } from '../../../../tests/support/make-folder.js';
import { readDiskClock } from '../files/disk-clock.js';
import { changedOutside } from './changed-outside.js';

async function open() {
  const folder = await makeFolder();
  onTestFinished(folder.remove);
  const { path } = folder;
  await mkdir(join(path, 'docs'));
  for (const name of ['before.txt', 'docs/before.txt']) await writeFile(join(path, name), '');
  const since = await readDiskClock(join(path, 'docs/before.txt'));
  return { path, since };
}

it('[RUN22.1] lists what others changed, without what the run changes too', async () => {
  const { path, since } = await open();
  for (const name of ['new.txt', 'docs/new.txt', 'docs/own.txt']) await writeFile(join(path, name), '');
  const { paths, complete } = await changedOutside(path, since, new Set(['docs/own.txt', 'docs/before.txt']));
  expect(paths).toEqual(['docs/new.txt', 'new.txt']);
  expect(complete).toBe(true);
});

it('[RUN22.1] does not search all of a large folder, and says so', async () => {
  const { path, since } = await open();
  expect(await changedOutside(path, since, new Set(), 3)).toMatchObject({ complete: true });
  expect(await changedOutside(path, since, new Set(), 2)).toMatchObject({ complete: false });
});
