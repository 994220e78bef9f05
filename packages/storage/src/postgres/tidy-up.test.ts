import pg from 'pg';
import { expect, it } from 'vitest';
import { createPostgresDatabase } from '../../../../tests/support/postgres-database.js';
import { openPostgres } from './open.js';
import { JOBS_SCHEMA, wakeTask } from './wake-jobs.js';

it('[STORE4] removes the jobs and process rows of killed processes, and nothing else', async () => {
  const url = await createPostgresDatabase();
  const store = await openPostgres(url, { maxConnections: 2 });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const add = async (task: string, turnId: string, change: string): Promise<void> => {
    const job = `select id from ${JOBS_SCHEMA}.add_job($1, json_build_object('turnId', $2::text))`;
    const { rows } = await client.query<{ id: string }>(job, [task, turnId]);
    await client.query(`update ${JOBS_SCHEMA}._private_jobs set ${change} where id = $1`, [rows[0]?.id]);
  };
  const ours = wakeTask('countersign');
  const gone = `locked_by = 'gone', locked_at = now() - interval '3 minutes'`;
  const held = `locked_by = 'busy', locked_at = now() - interval '1 minute'`;
  await add(ours, 'killed', gone);
  await add(ours, 'killed and replaced', `${gone}, attempts = max_attempts`);
  await add(ours, 'replaced and given back', 'attempts = max_attempts');
  await add(ours, 'held', held);
  await add(ours, 'later', `run_at = now() + interval '1 hour'`);
  await add('wake another', 'of others', gone);
  const now = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint';
  await client.query(
    `insert into countersign.processes (id, beat_at) values ('long gone', ${now} - 90000000), ('just gone', ${now} - 60000)`,
  );

  const end = await store.shared?.deliverWakes(() => Promise.resolve());

  const left = async (): Promise<unknown[]> => {
    const jobs = `select payload->>'turnId' as name from ${JOBS_SCHEMA}._private_jobs`;
    const { rows } = await client.query<{ name: string }>(`${jobs} union all select id from countersign.processes`);
    return rows.map(({ name }) => name).toSorted();
  };
  await expect.poll(left).toEqual(['held', 'just gone', 'later', 'of others']);
  await end?.();
  await client.end();
  await store.close();
});

it('[STORE5] drops append functions that no process has used for a day, and keeps its own and recent ones', async () => {
  const url = await createPostgresDatabase();
  const store = await openPostgres(url, { maxConnections: 2 });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const functions = async (): Promise<string[]> => {
    const { rows } = await client.query<{ name: string }>(
      `select proname as name from pg_proc where pronamespace = 'countersign'::regnamespace and proname like 'append_steps%' order by 1`,
    );
    return rows.map(({ name }) => name);
  };
  const [own] = await functions();
  const day = 86_400_000;
  for (const [name, age] of [
    ['append_steps_00000000000a', day + 60_000],
    ['append_steps_00000000000b', day - 60_000],
  ] as const) {
    await client.query(
      `create function countersign.${name}(text, text[], jsonb, bigint) returns jsonb language sql as 'select null::jsonb'`,
    );
    await client.query('insert into countersign.meta (key, value) values ($1, $2)', [name, Date.now() - age]);
  }
  // As if this process had been running for two days.
  await client.query('update countersign.meta set value = $2 where key = $1', [own, Date.now() - 2 * day]);

  const end = await store.shared?.deliverWakes(() => Promise.resolve());

  await expect.poll(functions).toEqual(expect.arrayContaining(['append_steps_00000000000b', own]));
  await expect.poll(functions).toHaveLength(2);
  await end?.();
  await client.end();
  await store.close();
});
