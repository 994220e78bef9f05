import { worldSettingsSchema } from '@countersign/protocol';
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { createPostgresDatabase } from '../../../../tests/support/postgres-database.js';
import { migrate } from './migrate.js';
import { FIRST_VERSION, migrations, newestVersion } from '../migrations/index.js';
import { numbered } from './connection.js';
import { openPostgres } from './open.js';
import { postgresStatements } from './statements.js';

let url = '';
beforeAll(async () => {
  url = await createPostgresDatabase();
});

async function query(sql: string): Promise<pg.QueryResult<Record<string, unknown>>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

it('[STORE4] [STORE5] many processes can start concurrently on an empty database and share one key', async () => {
  const stores = await Promise.all(Array.from({ length: 10 }, () => openPostgres(url, { schema: 'together' })));
  const keys = new Set(stores.map(({ hashKey }) => Buffer.from(hashKey).toString('hex')));
  expect([...keys]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
  await Promise.all(stores.map((store) => store.close()));
});

it('PostgreSQL accepts every statement with its parameters', async () => {
  await openPostgres(url, { schema: 'statements' }).then((store) => store.close());
  const { purge, matchText: _, ...statements } = postgresStatements;
  const all = Object.entries({ ...statements, ...purge.chat, ...purge.world });
  const client = new pg.Client({ connectionString: url, options: '-c search_path=statements' });
  await client.connect();
  for (const [name, { sql }] of all) await client.query(`prepare "${name}" as ${numbered(sql)}`);
  const { rows } = await client.query<{ name: string; count: number }>(
    'select name, cardinality(parameter_types)::int as count from pg_prepared_statements order by prepare_time',
  );
  await client.end();
  expect(rows).toEqual(all.map(([name, { names }]) => ({ name, count: names.length })));
});

it('uses only its own schema', async () => {
  await openPostgres(url).then((store) => store.close());
  const { rows } = await query(`select count(*)::int as tables from pg_tables where schemaname = 'public'`);
  expect(rows).toEqual([{ tables: 0 }]);
});

it('[STORE5] rejects a newer schema with a message, and leaves it unchanged', async () => {
  await openPostgres(url, { schema: 'newer' }).then((store) => store.close());
  await query(`update newer.meta set value = '${newestVersion() + 1}' where key = 'schema-version'`);
  await expect(openPostgres(url, { schema: 'newer' })).rejects.toMatchObject({
    code: 'store-newer',
    message: expect.stringContaining('Update Countersign') as string,
  });
});

it('[STORE5.1] refuses a schema from before the first version, and leaves it unchanged', async () => {
  await openPostgres(url, { schema: 'unreleased' }).then((store) => store.close());
  await query(`update unreleased.meta set value = '${FIRST_VERSION - 1}' where key = 'schema-version'`);
  await expect(openPostgres(url, { schema: 'unreleased' })).rejects.toMatchObject({ code: 'store-unreleased' });
  const { rows } = await query(`select value from unreleased.meta where key = 'schema-version'`);
  expect(rows).toEqual([{ value: String(FIRST_VERSION - 1) }]);
});

it('[STORE5] migrates an existing schema forwards, once', async () => {
  await openPostgres(url, { schema: 'moved' }).then((store) => store.close());
  const client = new pg.Client({ connectionString: url, options: '-c search_path=moved' });
  await client.connect();
  const steps = [...migrations, () => ['alter table worlds add column colour text']];
  await migrate(client, 'moved', steps);
  await migrate(client, 'moved', steps);
  const { rows } = await client.query('select colour from worlds');
  expect(rows).toEqual([]);
  await client.end();
  // This program doesn't know the made-up version.
  await expect(openPostgres(url, { schema: 'moved' })).rejects.toMatchObject({ code: 'store-newer' });
});

it.each(['create table strangers.t (a int)', 'create table strangers.meta (key text primary key, value text)'])(
  'rejects a schema of another program, and leaves it unchanged: %s',
  async (foreign) => {
    await query(`drop schema if exists strangers cascade; create schema strangers; ${foreign}`);
    await expect(openPostgres(url, { schema: 'strangers' })).rejects.toMatchObject({ code: 'store-foreign' });
    const { rows } = await query(`select count(*)::int as tables from pg_tables where schemaname = 'strangers'`);
    expect(rows).toEqual([{ tables: 1 }]);
  },
);

it('reports an unreachable server or an invalid name', async () => {
  await expect(openPostgres('postgres://nobody@127.0.0.1:1/nothing')).rejects.toMatchObject({
    code: 'store-unavailable',
  });
  const missing = new URL(url);
  missing.pathname = '/no_such_database';
  await expect(openPostgres(missing.href)).rejects.toMatchObject({ code: 'store-unavailable' });
  await expect(openPostgres(url, { schema: 'x; drop' })).rejects.toMatchObject({ code: 'invalid', field: 'schema' });
});

it('[STORE7] a lost connection is reported and writes nothing, and work continues when it is back', async () => {
  const store = await openPostgres(url, { schema: 'lost' });
  const settings = worldSettingsSchema.parse({});
  await store.transact('w', (tx) => tx.insertWorld({ id: 'w', name: 'W', settings, policy: [] }));
  const cut = store.transact('w', async (tx) => {
    await tx.updateWorld('w', { name: 'changed' });
    await query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    );
    await tx.updateWorld('w', { name: 'changed again' });
  });
  await expect(cut).rejects.toMatchObject({ code: 'store-unavailable' });
  expect(await store.read((r) => r.world('w'))).toMatchObject({ name: 'W', rev: 1 });
  await store.close();
});

it('[STORE7] [HTTP2.1] says that nothing can be stored while the server is read-only, and reads on', async () => {
  const store = await openPostgres(url, { schema: 'readonly' });
  const name = new URL(url).pathname.slice(1);
  // Applies to new connections.
  const become = async (isReadOnly: boolean) =>
    await query(`start transaction read write;
      alter database ${name} set default_transaction_read_only = ${isReadOnly ? 'on' : 'off'};
      commit;
      select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`);
  await store.checkWritable();
  await become(true);
  await expect.poll(() => store.read((reader) => reader.worlds())).toEqual([]);
  await expect(store.checkWritable()).rejects.toMatchObject({ code: 'store-readonly' });
  await become(false);
  await expect.poll(() => store.checkWritable()).toBeUndefined();
  await store.close();
});

it('[CALL11.1] uses the database’s clock', async () => {
  const store = await openPostgres(url);
  const before = await itsTime();
  const { value: now } = await store.transact('w', async (tx) => tx.now());
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(await itsTime());
  // A read uses the time of the last step instead of querying it each time.
  const inRead = await store.read(async (r) => r.now());
  expect(inRead).toBeGreaterThanOrEqual(now);
  expect(inRead).toBeLessThanOrEqual(await itsTime());
  await store.close();

  async function itsTime(): Promise<number> {
    const { rows } = await query('select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now');
    return Number(rows[0]?.['now']);
  }
});

describe('[STORE7] reports before any write that a database lacks', () => {
  const named = (name: string, user?: string): string => {
    const changed = new URL(url);
    changed.pathname = `/${name}`;
    if (user !== undefined) {
      changed.username = user;
      changed.password = 'secret';
    }
    return changed.href;
  };

  it('UTF8 encoding', async () => {
    await query(`create database in_ascii encoding 'SQL_ASCII' template template0 locale 'C'`);
    await expect(openPostgres(named('in_ascii'))).rejects.toMatchObject({
      code: 'store-foreign',
      message: expect.stringContaining('encoding UTF8') as string,
    });
  });

  it('permissions', async () => {
    await query(`create role guest login password 'secret'`);
    await query(`create database for_others`);
    await expect(openPostgres(named('for_others', 'guest'))).rejects.toMatchObject({
      code: 'store-unavailable',
      message: expect.stringContaining('Grant it CREATE') as string,
    });
  });

  it('connections', async () => {
    await query(`create role hermit login password 'secret' connection limit 5`);
    await query(`create database of_hermit owner hermit`);
    await expect(openPostgres(named('of_hermit', 'hermit'))).rejects.toMatchObject({
      code: 'store-unavailable',
      message:
        'This PostgreSQL server allows only 5 connections, but one process needs 16. ' +
        'Raise max_connections, or the limit of this user or database.',
    });
    await query(`alter role hermit connection limit 0`);
    await expect(openPostgres(named('of_hermit', 'hermit'))).rejects.toMatchObject({ code: 'store-unavailable' });
  });

  it.each(['postgres://', 'postgres://%zz@127.0.0.1:1/x', 'postgres://127.0.0.1:99999/x'])(
    'an address: %s',
    async (wrong) => {
      await expect(openPostgres(wrong)).rejects.toMatchObject({ code: 'store-unavailable' });
    },
  );
});
