import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { migrations } from '../migrations/index.js';
import { inspectSqlite } from './inspect-sqlite.js';
import { openSqlite } from './open-sqlite.js';

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

it('[S5] reports the version of an old store and leaves it unchanged', () => {
  const db = new DatabaseSync(file);
  db.exec(readFileSync(new URL('../migrations/fixtures/version-2.sql', import.meta.url), 'utf8'));
  db.close();
  const before = everything();
  expect(inspectSqlite(file)).toEqual({ version: 2, newest: migrations.length, stalledChats: 0 });
  expect(everything()).toEqual(before);
});

it('[S5] recognizes missing, damaged, newer and foreign files, and creates nothing', async () => {
  expect(inspectSqlite(file)).toEqual({ version: 0, newest: migrations.length, stalledChats: 0 });
  expect(everything()).toEqual([]);
  await (await openSqlite(file)).close();
  expect(inspectSqlite(file)).toEqual({ version: migrations.length, newest: migrations.length, stalledChats: 0 });
  const bytes = readFileSync(file);
  writeFileSync(file, Buffer.concat([bytes.subarray(0, 4096), Buffer.alloc(bytes.length - 4096, 7)]));
  expect(() => inspectSqlite(file)).toThrow('is damaged');
  const newer = Buffer.from(bytes);
  newer.writeUInt32BE(migrations.length + 1, 60);
  writeFileSync(file, newer);
  expect(() => inspectSqlite(file)).toThrow('was written by a newer version');
  writeFileSync(file, 'a letter');
  expect(() => inspectSqlite(file)).toThrow('is not a Countersign store');
});
