import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { FIRST_VERSION, newestVersion } from '../migrations/index.js';
import { inspectSqlite } from './inspect.js';
import { openSqlite } from './open.js';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-'));
  file = join(folder, 'store.db');
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

/** The whole folder, to detect any change. */
const everything = (): unknown =>
  readdirSync(folder).map((name) => {
    const path = join(folder, name);
    return [name, readFileSync(path, 'latin1'), statSync(path).mtimeMs, statSync(path).mode];
  });

it('[STORE5.1] reports a store from before the first version and leaves it unchanged', async () => {
  await (await openSqlite(file)).close();
  const db = new DatabaseSync(file);
  db.exec(`pragma user_version = ${FIRST_VERSION - 1}`);
  db.close();
  const before = everything();
  expect(() => inspectSqlite(file)).toThrow('never released');
  expect(everything()).toEqual(before);
});

it('[STORE5] recognizes missing, damaged, newer and foreign files, and creates nothing', async () => {
  expect(inspectSqlite(file)).toEqual({ version: 0, newest: newestVersion(), stalledChats: 0 });
  expect(everything()).toEqual([]);
  await (await openSqlite(file)).close();
  expect(inspectSqlite(file)).toEqual({ version: newestVersion(), newest: newestVersion(), stalledChats: 0 });
  const bytes = readFileSync(file);
  writeFileSync(file, Buffer.concat([bytes.subarray(0, 4096), Buffer.alloc(bytes.length - 4096, 7)]));
  expect(() => inspectSqlite(file)).toThrow('is damaged');
  const newer = Buffer.from(bytes);
  newer.writeUInt32BE(newestVersion() + 1, 60);
  writeFileSync(file, newer);
  expect(() => inspectSqlite(file)).toThrow('was written by a newer version');
  writeFileSync(file, 'a letter');
  expect(() => inspectSqlite(file)).toThrow('is not a Countersign store');
});
