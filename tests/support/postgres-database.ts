import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

/** A new, empty database on the run's PostgreSQL, so that no two tests meet. It goes when the server goes. */
export async function createPostgresDatabase(): Promise<string> {
  const server: string | undefined = inject('postgresUrl');
  if (server === undefined) throw new Error('No PostgreSQL runs: it is started for test files that say "postgres".');
  const url = new URL(server);
  const name = `test_${randomBytes(6).toString('hex')}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    await client.query(`create database ${name}`);
  } finally {
    await client.end();
  }
  url.pathname = `/${name}`;
  return url.href;
}
