import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cacheFolder } from './compile-cache.js';
import { freshFolder } from './testing/fresh-folder.js';

const inFolder = freshFolder();

function makeHome(mode: number): string {
  const home = inFolder('home');
  mkdirSync(home);
  chmodSync(home, mode);
  return home;
}

it('[LIMIT5] compiled code is cached in the given home folder', () => {
  const home = makeHome(0o700);
  const kept = join(home, 'compile-cache');
  expect(cacheFolder(['serve', '--home', home, '--json'], {})).toBe(kept);
  expect(cacheFolder([`--home=${home}`], { COUNTERSIGN_HOME: '/elsewhere' })).toBe(kept);
  expect(cacheFolder(['serve'], { COUNTERSIGN_HOME: home })).toBe(kept);
});

it('[SAFE1] compiled code is never cached where others can write, and caching creates no home folder', () => {
  expect(cacheFolder(['--home', makeHome(0o777)], {})).toBeUndefined();
  expect(cacheFolder(['--home', inFolder('missing')], {})).toBeUndefined();
  expect(cacheFolder(['--home'], { COUNTERSIGN_HOME: '' })).toBeUndefined();
  const file = inFolder('file');
  writeFileSync(file, '', { mode: 0o600 });
  expect(cacheFolder(['--home', file], {})).toBeUndefined();
  expect(cacheFolder(['--home', join(file, 'home')], {})).toBeUndefined();
});
