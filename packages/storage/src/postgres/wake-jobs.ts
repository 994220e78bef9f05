import { Logger, run, runMigrations, type Runner } from 'graphile-worker';
import pg from 'pg';
import { toStored } from '../text.js';
import { namedQuery, type Query } from './step/query.js';
import { takeLock } from './take-lock.js';

/** Wake-ups of every schema of a database are in one place; each schema's have a name of their own. */
export const JOBS_SCHEMA = 'countersign_jobs';

export function wakeTask(schema: string): string {
  return `wake ${schema}`;
}

/** Under each turn's own key, so that its wake-ups fold into one. */
export function wakeQuery(turnIds: readonly string[], task: string): Query {
  return namedQuery(
    `select 1 from unnest($1::text[]) as w (turn),
      ${JOBS_SCHEMA}.add_job('${task}', json_build_object('turnId', w.turn), job_key => w.turn)`,
    [turnIds.map(toStored)],
  );
}

/** Any number will do, as long as every process takes the same. */
const LOCK = 0x436f4a62;
const silent = new Logger(() => () => undefined);

/** Of many processes that start at once, one does it, and the others wait however long it takes. */
export async function prepareJobs(settings: pg.PoolConfig): Promise<void> {
  const pool = new pg.Pool({ ...settings, max: 2 });
  pool.on('error', ignore);
  pool.on('connect', (client) => client.on('error', ignore));
  try {
    await prepareOver(pool);
  } finally {
    await pool.end();
  }
}

async function prepareOver(pool: pg.Pool): Promise<void> {
  const migrateJobs = (): Promise<void> => runMigrations({ pgPool: pool, schema: JOBS_SCHEMA, logger: silent });
  const client = await pool.connect();
  try {
    // Later migrations are safe to race; only the first one, which creates the schema, is not.
    const { rows } = await client.query<{ exists: boolean }>('select to_regclass($1) is not null as exists', [
      `${JOBS_SCHEMA}.migrations`,
    ]);
    if (rows[0]?.exists === true) return await migrateJobs();
    await client.query('begin');
    try {
      await takeLock(client, LOCK);
      await migrateJobs();
    } finally {
      await client.query('rollback');
    }
  } finally {
    client.release();
  }
}

const RESTART_MS = 1_000;
/** Only a net: a new job is told of at once. */
const POLL_MS = 2_000;

/**
 * Hands wake-ups to this process. A job ends as soon as the turn is claimed and never fails: exclusion, attempts and takeover are the
 * turn's own, so that a frozen worker holds up nothing but its own job.
 */
export async function deliverWakes(
  pool: pg.Pool,
  schema: string,
  handle: (turnId: string) => Promise<void>,
): Promise<() => Promise<void>> {
  let ended = false;
  let runner: Runner | undefined;
  let retry: NodeJS.Timeout | undefined;

  async function start(): Promise<void> {
    const started = await run({
      pgPool: pool,
      schema: JOBS_SCHEMA,
      logger: silent,
      concurrency: 4,
      pollInterval: POLL_MS,
      noHandleSignals: true,
      parsedCronItems: [],
      // One by one, the library leaves the deletion of a finished job unawaited: a connection lost there would end the process.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      taskList: {
        [wakeTask(schema)]: async (payload) => {
          const turnId = turnOf(payload);
          if (turnId !== undefined) await handle(turnId);
        },
      },
    });
    runner = started;
    // It gives up when the database has been away for a while; this process does not.
    started.promise.then(again, again);
    if (ended) await started.stop();
  }

  function again(): void {
    runner = undefined;
    if (ended) return;
    retry = setTimeout(() => {
      start().catch(again);
    }, RESTART_MS);
    retry.unref();
  }

  await start();
  return async () => {
    ended = true;
    clearTimeout(retry);
    await runner?.stop().catch(() => undefined);
  };
}

function turnOf(payload: unknown): string | undefined {
  if (typeof payload !== 'object' || payload === null || !('turnId' in payload)) return undefined;
  return typeof payload.turnId === 'string' ? payload.turnId : undefined;
}

function ignore(): void {}
