import { Logger, run, runMigrations, type Runner } from 'graphile-worker';
import pg from 'pg';
import { toStored } from '../text.js';
import { namedQuery, type Query } from './step/query.js';
import { takeLock } from './take-lock.js';

/** All schemas in a database share one job schema; each has its own task name. */
export const JOBS_SCHEMA = 'countersign_jobs';

export function wakeTask(schema: string): string {
  return `wake ${schema}`;
}

/** One key per turn, so that its jobs merge into one. */
export function wakeQuery(turnIds: readonly string[], task: string): Query {
  return namedQuery(
    `select 1 from unnest($1::text[]) as w (turn),
      ${JOBS_SCHEMA}.add_job('${task}', json_build_object('turnId', w.turn), job_key => w.turn)`,
    [turnIds.map(toStored)],
  );
}

/** An arbitrary number, the same in every process. */
const LOCK = 0x436f4a62;
const silent = new Logger(() => () => undefined);

/** If several processes start concurrently, one prepares the jobs and the others wait. */
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
    // Only the first migration, which creates the schema, is unsafe to run concurrently.
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
/** Only a fallback: new jobs are announced immediately. */
const POLL_MS = 2_000;

/**
 * Delivers wake-ups to this process. A job ends once its turn is claimed and never fails: the turn itself handles locking, retries and
 * takeover, so a frozen worker blocks only its own job.
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
      // Batched, because otherwise the library doesn't await the deletion of a finished job, and a lost connection there would crash
      // the process.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      taskList: {
        [wakeTask(schema)]: async (payload) => {
          const turnId = turnOf(payload);
          if (turnId !== undefined) await handle(turnId);
        },
      },
    });
    runner = started;
    // The library gives up if the database is down for a while, so restart it.
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
