import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeSteps } from '@countersign/core/testing/step-contract';
import { describeStore } from '@countersign/core/testing/store-contract';
import pg from 'pg';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { createPostgresDatabase } from '../../../../tests/support/postgres-database.js';
import { isFullSize } from '../../../../tests/support/scaled.js';
import { openPostgres } from './open.js';

type OpenStore = Parameters<typeof describeStore>[1];

const schema = 'under_test';
let url = '';
let admin: pg.Client;
let emptying = '';

beforeAll(async () => {
  url = await createPostgresDatabase();
  await (await openPostgres(url, { schema })).close();
  admin = new pg.Client({ connectionString: url, options: `-c search_path=${schema}` });
  await admin.connect();
  emptying = await statementsThatEmpty();
});
afterAll(() => admin.end());

/** An emptied schema instead of a new one: running all migrations for each test took most of this file's time. */
async function statementsThatEmpty(): Promise<string> {
  const tables = await admin.query<{ name: string }>('select tablename as name from pg_tables where schemaname = $1', [
    schema,
  ]);
  const names = tables.rows.flatMap(({ name }) => (name === 'meta' ? [] : [name]));
  const sequences = await admin.query<{ name: string }>(
    'select sequencename as name from pg_sequences where schemaname = $1',
    [schema],
  );
  // Neither `truncate` nor `alter sequence`, which create new files.
  return [
    ...names.map((name) => `delete from ${name}`),
    ...sequences.rows.map(({ name }) => `select setval('${name}', 1, false)`),
    `delete from meta where key <> 'schema-version'`,
  ].join(';');
}

const open: OpenStore = async () => {
  await admin.query(emptying);
  const folder = mkdtempSync(join(tmpdir(), 'countersign-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const options = { schema, headFile: join(folder, 'audit-head'), maxConnections: 3 };
  let store = await openPostgres(url, options);
  return {
    store,
    async reopen(sql) {
      await store.close();
      if (sql !== undefined) await admin.query(sql);
      store = await openPostgres(url, options);
      return store;
    },
    another: () => openPostgres(url, { schema, maxConnections: 3 }),
  };
};

describeStore('PostgreSQL', open, { outlive: true, share: true, isShort: !isFullSize });
describeSteps('PostgreSQL', open, { outlive: true, share: true });
