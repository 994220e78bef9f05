import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** One PostgreSQL server for all contenders, with one database each. With `env`, it syncs every commit and runs in that environment. */
export async function openDatabases(env) {
  const { startPostgres } = await import('../../packages/server/dist/testing/postgres-server.js');
  const durable = env === undefined ? {} : { fsync: 'on', synchronous_commit: 'on' };
  const server = await startPostgres({
    settings: {
      ...durable,
      shared_buffers: '512MB',
      max_wal_size: '4GB',
      shared_preload_libraries: 'pg_stat_statements',
    },
    env: env ?? {},
  });
  const client = new pg.Client(server.url);
  await client.connect();
  await client.query('create extension pg_stat_statements');
  const names = new Map();
  return {
    async create(which) {
      const name = `bench_${randomBytes(6).toString('hex')}`;
      await client.query(`create database ${name}`);
      names.set(which, name);
      const url = new URL(server.url);
      url.pathname = `/${name}`;
      return url.href;
    },
    /** The number of statements that a contender's database has run so far. */
    async statements(which) {
      const { rows } = await client.query(
        'select coalesce(sum(calls), 0)::float8 as calls from pg_stat_statements s join pg_database d on d.oid = s.dbid where toplevel and datname = $1',
        [names.get(which)],
      );
      return rows[0].calls;
    },
    async close() {
      await client.end();
      await server.stop();
    },
  };
}
