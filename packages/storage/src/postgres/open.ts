import { randomBytes } from 'node:crypto';
import type { Store } from '@countersign/core/ports';
import { CountersignError } from '@countersign/protocol';
import pg from 'pg';
import { keepHeadsInFile, keepHeadsInMemory } from '../audit/head-keeper.js';
import { createStore } from '../create-store.js';
import { postgresStatements } from './statements.js';
import { postgresEngine } from './engine.js';
import { fromPostgres } from './errors.js';
import { ensureAppendFunction } from './append-function.js';
import { migrate } from './migrate.js';
import { checkServer } from './check-server.js';
import { createSharedStore } from './shared-store.js';
import { prepareJobs, wakeTask } from './wake-jobs.js';

/** Options for `openPostgres`. */
export interface PostgresOptions {
  /** The schema that contains the tables. Default: `countersign`. Created if missing. */
  schema?: string;
  /** The file in which this process stores the audit heads. If absent, they are only in memory. */
  headFile?: string;
  /** Maximum number of connections. Default: 10. */
  maxConnections?: number;
}

/** Opens a store that any number of processes can share (STORE4). */
export async function openPostgres(url: string, options: PostgresOptions = {}): Promise<Store> {
  const { schema = 'countersign', headFile, maxConnections = 10 } = options;
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    throw new CountersignError('invalid', `Invalid schema name "${schema}". Use a-z, 0-9 and _.`, { field: 'schema' });
  }
  const types = new pg.TypeOverrides();
  // The driver returns 64-bit integers as text by default; all of ours fit into a number.
  types.setTypeParser(pg.types.builtins.INT8, Number);
  const connection = { connectionString: url, types, ...TIMEOUTS };
  const pool = new pg.Pool({
    ...connection,
    max: maxConnections,
    query_timeout: STEP_MS,
    // The end of a step is sent in one write (finish-and-commit.ts).
    pipeline: true,
    // A process that froze in the middle of a step would hold locks that others need for a takeover. Generic plans: planning the load query
    // takes ten times as long as running it.
    options: `-c search_path=${schema} -c idle_in_transaction_session_timeout=${STALLED_MS} -c plan_cache_mode=force_generic_plan`,
  });
  const company = new pg.Pool({ ...connection, max: SHARED_CONNECTIONS, query_timeout: COMPANY_MS });
  const pulse = new pg.Pool({ ...connection, max: 1, query_timeout: COMPANY_MS });
  for (const each of [pool, company, pulse]) ignoreIdleErrors(each);
  const closePools = async (): Promise<void> => {
    await Promise.all([pool.end(), company.end(), pulse.end()]);
  };
  try {
    const client = await pool.connect();
    let hintKey: Uint8Array;
    try {
      await checkServer(client, maxConnections + SHARED_CONNECTIONS + OTHER_CONNECTIONS);
      await migrate(client, schema);
      await ensureAppendFunction(client, schema);
      hintKey = await readHintKey(client);
    } finally {
      client.release();
    }
    await prepareJobs(connection);
    const engine = { ...postgresEngine(pool, postgresStatements, wakeTask(schema)), close: closePools };
    const store = await createStore(engine, (chains) =>
      headFile === undefined ? keepHeadsInMemory() : keepHeadsInFile(headFile, chains),
    );
    return {
      ...store,
      shared: createSharedStore(company, pulse, { connectionString: url, ...TIMEOUTS }, schema, hintKey),
    };
  } catch (cause) {
    await closePools();
    throw fromPostgres(cause);
  }
}

/** The key is generated once per store. A role that can't read our tables can't read or forge hints. */
async function readHintKey(client: pg.ClientBase): Promise<Uint8Array> {
  await client.query(`insert into meta (key, value) values ('hint-key', $1) on conflict (key) do nothing`, [
    randomBytes(32).toString('base64'),
  ]);
  const { rows } = await client.query<{ value: string }>(`select value from meta where key = 'hint-key'`);
  return Buffer.from(rows[0]?.value ?? '', 'base64');
}

/** Separate connections, for example for heartbeats: a busy pool must not make a process look dead. */
const SHARED_CONNECTIONS = 4;
/** One for heartbeats and one for listening. */
const OTHER_CONNECTIONS = 2;
/** Less than the takeover timeout. */
const STALLED_MS = 4_000;
/** Without timeouts, a connection whose packets are dropped would block forever. */
const TIMEOUTS = { connectionTimeoutMillis: 10_000, keepAlive: true, keepAliveInitialDelayMillis: 10_000 };
const STEP_MS = 60_000;
const COMPANY_MS = 4_000;

/** Idle connections emit an error when the server goes down. Without a listener, that would crash the process; the next step reports it. */
function ignoreIdleErrors(pool: pg.Pool): void {
  pool.on('error', ignore);
  pool.on('connect', (client) => client.on('error', ignore));
}

function ignore(): void {}
