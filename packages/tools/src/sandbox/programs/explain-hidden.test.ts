import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeFolder, type TestFolder } from '../../../../../tests/support/make-folder.js';
import { explainHidden } from './explain-hidden.js';

let home: TestFolder;
const homeBefore = process.env['HOME'];
beforeEach(async () => {
  home = await makeFolder();
  process.env['HOME'] = home.path;
});
afterEach(async () => {
  if (homeBefore === undefined) delete process.env['HOME'];
  else process.env['HOME'] = homeBefore;
  await home.remove();
});

const put = async (path: string): Promise<string> => {
  const file = join(home.path, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, '#!/bin/sh\n', { mode: 0o755 });
  return file;
};
const ruleFor = (word: string): string | undefined =>
  /`allow sandbox_folder\((.*)\)`/.exec(explainHidden([word], () => false, join(home.path, 'links'))[0] ?? '')?.[1];

it.each([
  ['a built file of a package', 'apps/tool/dist/cli.js', ['apps/tool/package.json'], '~/apps/tool'],
  [
    'a built file with a manifest of its own',
    'apps/tool/dist/esm/cli.js',
    ['apps/tool/dist/package.json', 'apps/tool/node_modules/x/index.js'],
    '~/apps/tool',
  ],
  ['a module inside a package', 'apps/tool/src/main.py', ['apps/tool/pyproject.toml'], '~/apps/tool'],
  ['a built file without a manifest', 'apps/tool/dist/cli.js', [], '~/apps/tool'],
  ['a program folder', 'other/bin/tool', [], '~/other'],
  [
    'a package that npm installed next to its dependencies',
    'mcp/node_modules/@a/server/dist/index.js',
    ['mcp/node_modules/@a/server/package.json', 'mcp/node_modules/b/node_modules/c/index.js'],
    '~/mcp/node_modules',
  ],
  ['a plain script', 'tools/server.js', [], '~/tools'],
  ['a program directly in a bin folder of the home', 'bin/tool', ['package.json'], '~/bin'],
  ['a build folder directly in the home', 'dist/tool', ['package.json'], '~/dist'],
])('[SAFE5] the suggested rule for %s covers the files it needs', async (_name, program, beside, folder) => {
  for (const path of beside) await put(path);
  expect(ruleFor(await put(program))).toBe(folder);
});

it('[SAFE5] follows the symlink on PATH to the package of a program', async () => {
  await put('apps/tool/package.json');
  const program = await put('apps/tool/dist/cli.js');
  await mkdir(join(home.path, 'links'));
  await symlink(program, join(home.path, 'links/tool'));
  expect(ruleFor('tool')).toBe('~/apps/tool');
});

it('[SAFE5] a link with a full path must be readable, and so must its target', async () => {
  const target = await put('mcp/node_modules/server/dist/index.js');
  const link = join(home.path, 'mcp/node_modules/.bin/server');
  await mkdir(dirname(link));
  await symlink(target, link);
  expect(explainHidden([link], (path) => path === target, '')).toEqual([
    expect.stringContaining('`allow sandbox_folder(~/mcp/node_modules)`'),
  ]);
});
