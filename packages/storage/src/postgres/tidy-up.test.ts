import pg from 'pg';
import { expect, it } from 'vitest';
import { createPostgresDatabase } from '../../../../tests/support/postgres-database.js';
import { openPostgres } from './open-postgres.js';
import { JOBS_SCHEMA, wakeTask } from './wake-jobs.js';

it('[S4] takes away the wake-ups and the names that killed processes have left behind, and nothing else', async () => {
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
