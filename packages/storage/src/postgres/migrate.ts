import { CountersignError } from '@countersign/protocol';
import type pg from 'pg';
import { checkVersion, migrations, migrationsAfter, newestVersion } from '../migrations/index.js';
import { takeLock } from './take-lock.js';
import { JOBS_SCHEMA } from './wake-jobs.js';

const ddl = {
  integer: 'bigint',
  ordinal: 'bigint generated always as identity primary key',
  plain: '',
  clustered: '',
  searchWords: [
    'create table search_words (ordinal bigint not null primary key, words tsvector not null)',
    'create index search_words_by_word on search_words using gin (words)',
  ],
};

/** An arbitrary number, the same in every process. */
export const MIGRATION_LOCK = 0x436f5369;

/** Migrates in order, one transaction per migration. If several processes start concurrently, one migrates (STORE5). */
export async function migrate(client: pg.ClientBase, schema: string, steps = migrations): Promise<void> {
  // Any database role can hold an advisory lock, so don't take it if there is nothing to do.
  const newest = newestVersion(steps);
  if ((await readVersion(client, schema, newest)) === newest) return;
  for (;;) {
    await client.query('begin');
    try {
      await takeLock(client, MIGRATION_LOCK);
      await client.query(`create schema if not exists ${schema}`);
      const [next, ...others] = migrationsAfter(await readVersion(client, schema, newest), steps);
      if (next !== undefined) {
        for (const statement of next.migration(ddl)) await client.query(statement);
        await client.query(
          `insert into meta (key, value) values ('schema-version', $1) on conflict (key) do update set value = excluded.value`,
          [String(next.to)],
        );
      }
      await client.query('commit');
      if (others.length === 0) return;
    } catch (error) {
      await client.query('rollback');
      throw error;
    }
  }
}

/** Functions in these schemas run with our privileges, so no other role may own a schema or create objects in it. */
async function rejectForeignRoles(client: pg.ClientBase, schema: string): Promise<void> {
  const { rows } = await client.query<{ schema: string; role: string }>(
    `select distinct n.nspname as schema, coalesce(g.rolname, 'PUBLIC') as role from pg_namespace n
     join pg_roles me on me.rolname = current_user
     join pg_database d on d.datname = current_database()
     cross join lateral (
       select n.nspowner as oid
       union select a.grantee from aclexplode(n.nspacl) a where a.privilege_type = 'CREATE'
     ) c
     left join pg_roles g on g.oid = c.oid
     where n.nspname = any($1) and (g.oid is null or not (
       g.rolsuper or g.oid in (me.oid, d.datdba) or g.rolname = 'pg_database_owner'
       or not me.rolsuper and pg_has_role(me.oid, g.oid, 'usage')
     )) order by 1, 2`,
    [[schema, JOBS_SCHEMA]],
  );
  const [first] = rows;
  if (first === undefined) return;
  const roles = rows.filter((row) => row.schema === first.schema).map(({ role }) => role);
  throw new CountersignError(
    'store-foreign',
    `Other roles can create objects in the schema ${first.schema} of this PostgreSQL database: ${roles.join(', ')}. ` +
      'They could change what Countersign runs. Revoke CREATE on the schema from them, or use another database.',
  );
}

/** The schema version; 0 if empty. Throws if the schema is foreign or can't be read. */
export async function readVersion(client: pg.ClientBase, schema: string, newest = newestVersion()): Promise<number> {
  await rejectForeignRoles(client, schema);
  const tables = await client.query<{ name: string }>(
    'select table_name as name from information_schema.tables where table_schema = $1',
    [schema],
  );
  if (tables.rows.length === 0) return 0;
  const hasMeta = tables.rows.some(({ name }) => name === 'meta');
  const found = hasMeta
    ? await client.query<{ value: string }>(`select value from meta where key = 'schema-version'`)
    : undefined;
  const version = Number(found?.rows[0]?.value);
  if (!Number.isInteger(version)) {
    throw new CountersignError(
      'store-foreign',
      `The schema ${schema} of this PostgreSQL database belongs to another program. It was not changed. Choose another schema.`,
    );
  }
  checkVersion('This PostgreSQL store', version, newest);
  return version;
}
