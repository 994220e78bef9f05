import pg from 'pg';
import { migrations } from '../migrations/index.js';
import type { SeenStore } from '../sqlite/look-at-sqlite.js';
import { checkServer } from './check-server.js';
import { fromPostgres } from './errors.js';
import { readVersion } from './migrate.js';

const PATIENCE_MS = 10_000;

/** Looks at a PostgreSQL as `openPostgres` would find it. Nothing is made in it or brought forward. */
export async function lookAtPostgres(url: string, schema = 'countersign'): Promise<SeenStore> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
    options: `-c search_path=${schema} -c default_transaction_read_only=on`,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await checkServer(client, 1);
    return { version: await readVersion(client, schema), newest: migrations.length };
  } catch (cause) {
    throw fromPostgres(cause);
  } finally {
    await client.end();
  }
}
