import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isOwnFile } from '@countersign/core/ports';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { lockFile } from './lock-file.js';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-lock-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('[STORE4] has one owner at a time, and the next one after it is released', () => {
  const file = join(folder, 'lock');
  const release = lockFile(file);
  expect(release).toBeTypeOf('function');
  expect(isOwnFile(file)).toBe(true);
  expect(lockFile(file)).toBeUndefined();
  release?.();
  expect(isOwnFile(file)).toBe(false);
  lockFile(file)?.();
});

it('[STORE4] is released when its process is killed', async () => {
  const file = join(folder, 'lock');
  const sqlite = createRequire(import.meta.url).resolve('@photostructure/sqlite');
  const holder = spawn(process.execPath, [
    '-e',
    `const { DatabaseSync } = require(${JSON.stringify(sqlite)});
     const db = new DatabaseSync(${JSON.stringify(file)});
     db.exec('begin exclusive');
     process.stdout.write('held');
     setInterval(() => db, 1e6);`,
  ]);
  await once(holder.stdout, 'data');
  expect(lockFile(file)).toBeUndefined();
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  const release = lockFile(file);
  expect(release).toBeTypeOf('function');
  release?.();
});
