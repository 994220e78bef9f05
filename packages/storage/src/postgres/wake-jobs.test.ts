import pg from 'pg';
import { expect, it } from 'vitest';
import { createPostgresDatabase } from '../../../../tests/support/postgres-database.js';
import { deliverWakes, JOBS_SCHEMA, prepareJobs, wakeTask } from './wake-jobs.js';

it('[STORE7] survives a connection lost while a delivered job is removed', async () => {
  const connectionString = await createPostgresDatabase();
  await prepareJobs({ connectionString });
  const pool = new pg.Pool({ connectionString, max: 8 });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const other = new pg.Client({ connectionString });
  // Outside a transaction: inside one, pg_stat_activity would always show the snapshot of the first query.
  const onlooker = new pg.Client({ connectionString });
  await Promise.all([other.connect(), onlooker.connect()]);
  const wake = async (turnId: string): Promise<void> => {
    await other.query(`select ${JOBS_SCHEMA}.add_job($1, json_build_object('turnId', $2::text))`, [
      wakeTask('s'),
      turnId,
    ]);
  };
  const delivered: string[] = [];
  const stop = await deliverWakes(pool, 's', async (turnId) => {
    delivered.push(turnId);
    if (turnId !== 'first') return;
    await other.query(`begin; lock table ${JOBS_SCHEMA}._private_jobs in access exclusive mode`);
  });

  await wake('first');
  const cut = `select pg_terminate_backend(pid) as cut from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like 'delete%'`;
  await expect.poll(async () => (await onlooker.query<{ cut: boolean }>(cut)).rows).toEqual([{ cut: true }]);
  await other.query('commit');
  await wake('second');
  await expect.poll(() => delivered).toContain('second');

  await stop();
  await Promise.all([other.end(), onlooker.end()]);
  await pool.end();
});
