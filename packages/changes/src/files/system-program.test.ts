import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeFolder, type TestFolder } from '../../../../tests/support/make-folder.js';
import { findSystemProgram } from './system-program.js';

let folder: TestFolder;
beforeEach(async () => {
  folder = await makeFolder();
});
afterEach(() => folder.remove());

async function program(...names: string[]): Promise<string> {
  const file = join(folder.path, ...names);
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, '#!/bin/sh\n', { mode: 0o755 });
  return file;
}

it('[SAFE1.4] uses the first of its folders that has the program, whatever PATH says', async () => {
  const first = await program('a', 'tool');
  await program('b', 'tool');
  expect(
    findSystemProgram(
      'tool',
      ['a', 'b'].map((name) => join(folder.path, name)),
    ),
  ).toBe(first);
  const former = process.env['PATH'];
  process.env['PATH'] = `${join(folder.path, 'a')}:${former}`;
  try {
    expect(findSystemProgram('tool')).toBeUndefined();
  } finally {
    process.env['PATH'] = former;
  }
});

it('[SAFE1.4] rejects folders, files that are not executable and anything world-writable, even behind a symlink', async () => {
  await mkdir(join(folder.path, 'a', 'tool'), { recursive: true });
  await chmod(await program('b', 'tool'), 0o644);
  await chmod(await program('c', 'tool'), 0o777);
  await program('d', 'tool');
  await chmod(join(folder.path, 'd'), 0o1777);
  await mkdir(join(folder.path, 'e'));
  await symlink('../d/tool', join(folder.path, 'e', 'tool'));
  const bad = ['a', 'b', 'c', 'd', 'e', 'none'].map((name) => join(folder.path, name));
  expect(findSystemProgram('tool', bad)).toBeUndefined();
  const good = await program('f', 'tool');
  expect(findSystemProgram('tool', [...bad, join(folder.path, 'f')])).toBe(good);
});
