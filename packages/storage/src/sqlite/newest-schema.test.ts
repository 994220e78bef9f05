import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { expect, it } from 'vitest';
import { migrations } from '../migrations/index.js';
import { ddl } from './newest-schema.js';
import { openDatabase } from './open-database.js';

function schemaOf(db: DatabaseSyncInstance): unknown[] {
  return db.prepare('select type, name, tbl_name, sql from sqlite_schema order by type, name').all();
}

it('[S5] a new store has the same schema and version as a migrated one', () => {
  const migrated = new DatabaseSync(':memory:');
  for (const migration of migrations) for (const statement of migration(ddl)) migrated.exec(statement);
  const fresh = openDatabase(':memory:', 'NORMAL');
  expect(schemaOf(fresh)).toEqual(schemaOf(migrated));
  expect(fresh.prepare('pragma user_version').get()).toEqual({ user_version: migrations.length });
  migrated.close();
  fresh.close();
});

it('[S5] no migration inserts rows, because a new store would lack them', () => {
  const migrated = new DatabaseSync(':memory:');
  for (const migration of migrations) for (const statement of migration(ddl)) migrated.exec(statement);
  const tables = migrated
    .prepare(`select name from sqlite_schema where type = 'table' and name not glob 'search_words*'`)
    .all() as { name: string }[];
  const filled = tables.filter(({ name }) => migrated.prepare(`select 1 from ${name} limit 1`).get() !== undefined);
  expect(filled).toEqual([]);
  migrated.close();
});
