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

export interface PostgresOptions {
  /** The schema that holds the tables; `countersign` unless given. Created if there is none. */
  schema?: string;
  /** Where this process keeps the ends of the audit chains. Without it they are known only until it ends. */
  headFile?: string;
  /** Connections at most; 10 unless given. */
  maxConnections?: number;
}

/** Opens a store that any number of processes can share (S4). */
export async function openPostgres(url: string, options: PostgresOptions = {}): Promise<Store> {
  const { schema = 'countersign', headFile, maxConnections = 10 } = options;
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    throw new CountersignError('invalid', `"${schema}" can't be a schema: use a-z, 0-9 and _.`, { field: 'schema' });
  }
  const types = new pg.TypeOverrides();
  // A number of 64 bits comes as text otherwise; none of ours exceeds what a number holds exactly.
  types.setTypeParser(pg.types.builtins.INT8, Number);
  const connection = { connectionString: url, types, ...PATIENCE };
  const pool = new pg.Pool({
    ...connection,
    max: maxConnections,
    query_timeout: STEP_MS,
    // What ends a step goes out in one piece (finish-and-commit.ts).
    pipeline: true,
    // A process that is frozen in the middle of a step holds the rows that others need to take its turn over. Statements are planned once for
    // each connection: the plan of what a step loads takes ten times as long as running it.
    options: `-c search_path=${schema} -c idle_in_transaction_session_timeout=${STALLED_MS} -c plan_cache_mode=force_generic_plan`,
  });
  const company = new pg.Pool({ ...connection, max: COMPANY_CONNECTIONS, query_timeout: COMPANY_MS });
  const pulse = new pg.Pool({ ...connection, max: 1, query_timeout: COMPANY_MS });
  for (const each of [pool, company, pulse]) keepQuiet(each);
  const closePools = async (): Promise<void> => {
    await Promise.all([pool.end(), company.end(), pulse.end()]);
  };
  try {
    const client = await pool.connect();
    let hintKey: Uint8Array;
    try {
      await checkServer(client, maxConnections + COMPANY_CONNECTIONS + OTHER_CONNECTIONS);
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
      shared: createSharedStore(company, pulse, { connectionString: url, ...PATIENCE }, schema, hintKey),
    };
  } catch (cause) {
    await closePools();
    throw fromPostgres(cause);
  }
}

/** Made once per store. A role that can't read our tables can't read or forge hints. */
async function readHintKey(client: pg.ClientBase): Promise<Uint8Array> {
  await client.query(`insert into meta (key, value) values ('hint-key', $1) on conflict (key) do nothing`, [
    randomBytes(32).toString('base64'),
  ]);
  const { rows } = await client.query<{ value: string }>(`select value from meta where key = 'hint-key'`);
  return Buffer.from(rows[0]?.value ?? '', 'base64');
}

/** For what processes say to each other: the steps' own connections may all be busy, and that must not look like death. */
const COMPANY_CONNECTIONS = 4;
/** One says that this process lives, one listens. */
const OTHER_CONNECTIONS = 2;
/** Less than what others wait before they take a turn over. */
const STALLED_MS = 4_000;
/** A way to the database that swallows everything would be waited at for ever. */
const PATIENCE = { connectionTimeoutMillis: 10_000, keepAlive: true, keepAliveInitialDelayMillis: 10_000 };
const STEP_MS = 60_000;
const COMPANY_MS = 4_000;

/** A server that goes away tells idle connections too. Without a listener that would end the process; the next step says it in words. */
function keepQuiet(pool: pg.Pool): void {
  pool.on('error', ignore);
  pool.on('connect', (client) => client.on('error', ignore));
}

function ignore(): void {}
