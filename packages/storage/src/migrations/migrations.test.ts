import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { worldSettingsSchema } from '@countersign/protocol';
import { expect, it, onTestFinished } from 'vitest';
import { closeDatabase, openDatabase } from '../sqlite/file/open-database.js';
import { openSqlite } from '../sqlite/open.js';
import { migrations, newestVersion } from './index.js';

/** A made-up next version, which fails half way. */
const failing = () => ['alter table worlds add column colour text', 'update worlds set shape = 1'];
const working = () => ['alter table worlds add column colour text', `update worlds set colour = 'green'`];

async function makeStore(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'store.db');
  const store = await openSqlite(file, { synchronous: 'NORMAL' });
  const world = { id: 'garden', name: 'Garden', settings: worldSettingsSchema.parse({}), policy: [] };
  await store.transact('garden', (tx) => tx.insertWorld(world));
  await store.close();
  return file;
}

it('[STORE5] a store of an earlier version is migrated with its data, one transaction per step, and only forwards', async () => {
  const file = await makeStore();
  const db = openDatabase(file, 'NORMAL', [...migrations, working]);
  expect(db.prepare('select id, colour from worlds').all()).toEqual([{ id: 'garden', colour: 'green' }]);
  expect(db.prepare('pragma user_version').get()).toEqual({ user_version: newestVersion() + 1 });
  closeDatabase(db, file);
  await expect(openSqlite(file)).rejects.toMatchObject({ code: 'store-newer' });
});

it('[STORE5] a migration that fails changes nothing, and can run again', async () => {
  const file = await makeStore();
  expect(() => openDatabase(file, 'NORMAL', [...migrations, failing])).toThrow('shape');
  await openSqlite(file).then((store) => store.close());
  const db = openDatabase(file, 'NORMAL', [...migrations, working]);
  expect(db.prepare('select colour from worlds').all()).toEqual([{ colour: 'green' }]);
  closeDatabase(db, file);
});
