import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { inOrder } from './choose-model.js';
import { projectFolder } from './project-folder.js';
import { worldsOf } from './world-of-folder.js';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'countersign-project-')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('[TERM1.3] a folder with a manifest or a repository is a project; a home folder and its parents are not', () => {
  const repo = join(folder, 'repo');
  mkdirSync(join(repo, 'src'), { recursive: true });
  expect(projectFolder(repo)).toBeUndefined();
  writeFileSync(join(repo, 'go.mod'), '');
  expect(projectFolder(repo)).toBe(repo);
  expect(projectFolder(join(repo, 'src'))).toBeUndefined();
  expect(projectFolder(repo, repo)).toBeUndefined();
  symlinkSync(repo, join(folder, 'link'));
  expect(projectFolder(join(folder, 'link'))).toBe(repo);
  expect(projectFolder(join(folder, 'link'), join(folder, 'link'))).toBeUndefined();
  expect(projectFolder('/')).toBeUndefined();
  expect(projectFolder(join(folder, 'missing'))).toBeUndefined();
});

it('[TERM3.10] a folder belongs to the worlds of its nearest ancestor that has one', () => {
  const inner = join(folder, 'outer', 'inner');
  mkdirSync(join(inner, 'src'), { recursive: true });
  symlinkSync(inner, join(folder, 'to-inner'));
  const worlds = [
    { id: 'a', folder: join(folder, 'outer') },
    { id: 'b', folder: join(folder, 'to-inner') },
    { id: 'c' },
  ];
  const found = (path: string): string[] => worldsOf(worlds, path).map(({ id }) => id);
  expect(found(join(inner, 'src'))).toEqual(['b']);
  expect(found(inner)).toEqual(['b']);
  expect(found(join(folder, 'outer'))).toEqual(['a']);
  expect(found(folder)).toEqual([]);
  expect(found(join(folder, 'missing'))).toEqual([]);
  expect(worldsOf([...worlds, { id: 'd', folder: inner }], inner).map(({ id }) => id)).toEqual(['b', 'd']);
});

it('lists suggested models first, and those that can’t chat last', () => {
  expect(inOrder(['text-embedding-3', 'b', 'a'], ['a', 'gone'])).toEqual(['a', 'b', 'text-embedding-3']);
});
