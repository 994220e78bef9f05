import pg from 'pg';
import { newestVersion } from '../migrations/index.js';
import type { StoreInspection } from '../sqlite/inspect.js';
import { checkServer } from './check-server.js';
import { fromPostgres } from './errors.js';
import { readVersion } from './migrate.js';

const PATIENCE_MS = 10_000;

/** Inspects a PostgreSQL store without creating or migrating anything. */
export async function inspectPostgres(url: string, schema = 'countersign'): Promise<StoreInspection> {
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
    const version = await readVersion(client, schema);
    const newest = newestVersion();
    return { version, newest, stalledChats: version === newest ? await countStalled(client) : 0 };
  } catch (cause) {
    throw fromPostgres(cause);
  } finally {
    await client.end();
  }
}

/** How long a process may be silent before others take over its turns. */
const SILENT_MS = 6_500;

async function countStalled(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ stalled: number }>(
    `select count(distinct t.chat_id)::int as stalled from turns t
     left join processes p on p.id = t.owner
       and p.beat_at >= floor(extract(epoch from clock_timestamp()) * 1000)::bigint - $1::bigint
     where t.state = 'open' and p.id is null`,
    [SILENT_MS],
  );
  return rows[0]?.stalled ?? 0;
}
