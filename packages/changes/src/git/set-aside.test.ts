import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { setAside } from './set-aside.js';

const made: string[] = [];
afterEach(() => made.splice(0).forEach((path) => rmSync(path, { recursive: true })));

function open() {
  const base = mkdtempSync(join(tmpdir(), 'set-aside-'));
  made.push(base);
  const [root, workingDirectory] = [join(base, 'root'), join(base, 'folder')];
  const upper = join(root, 'upper');
  for (const path of ['out', 'sub/out']) mkdirSync(join(upper, path), { recursive: true });
  mkdirSync(join(workingDirectory, 'sub'), { recursive: true });
  for (const path of ['a.txt', 'out/x', 'sub/out/y']) writeFileSync(join(upper, path), 'new\n');
  writeFileSync(join(workingDirectory, '.gitignore'), 'out\n');
  execFileSync('git', ['init', '-q', workingDirectory]);
  return { root, upper, workingDirectory };
}

it('[RUN24] lists each ignored folder again after it was interrupted', async () => {
  const layer = open();
  // The second folder can't be moved, so it stops there, as a kill would.
  const obstacle = join(layer.root, 'aside/sub/out/z');
  mkdirSync(obstacle, { recursive: true });
  await expect(setAside(layer)).rejects.toThrow('ENOTEMPTY');
  expect(existsSync(join(layer.upper, 'out'))).toBe(false);
  rmSync(join(layer.root, 'aside/sub'), { recursive: true });
  expect(await setAside(layer)).toEqual([
    { path: 'out', files: 1 },
    { path: 'sub/out', files: 1 },
  ]);
  expect(existsSync(join(layer.upper, 'sub/out'))).toBe(false);
});
