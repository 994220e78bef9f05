import { randomBytes } from 'node:crypto';
import { openPostgres } from '@countersign/storage';
import pg from 'pg';
import { inject } from 'vitest';

/** A new, empty database on the run's PostgreSQL, so that tests don't interfere. It is removed with the server. */
export async function createPostgresDatabase(): Promise<string> {
  return await createDatabase('template1');
}

let template: Promise<string> | undefined;

/**
 * A database that already has our tables, for tests that aren't about creating them: migrating took twice as long as
 * copying.
 */
export async function createMigratedDatabase(): Promise<string> {
  template ??= makeTemplate();
  return await createDatabase(await template);
}

async function makeTemplate(): Promise<string> {
  const url = await createPostgresDatabase();
  await (await openPostgres(url)).close();
  // Each store creates its own key.
  await query(url, `delete from countersign.meta where key <> 'schema-version'`);
  return new URL(url).pathname.slice(1);
}

async function createDatabase(from: string): Promise<string> {
  const server: string | undefined = inject('postgresUrl');
  if (server === undefined) throw new Error('No PostgreSQL runs: it is started for test files that say "postgres".');
  const url = new URL(server);
  const name = `test_${randomBytes(6).toString('hex')}`;
  await query(url.href, `create database ${name} template ${from} strategy file_copy`);
  url.pathname = `/${name}`;
  return url.href;
}

async function query(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
