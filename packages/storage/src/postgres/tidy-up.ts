import type pg from 'pg';
import { dropUnusedFunctions, ensureAppendFunction } from './append-function.js';
import { JOBS_SCHEMA, wakeTask } from './wake-jobs.js';

/**
 * A job is locked only until its turn is claimed. If it stays locked for longer, its process is dead, and the periodic check has found the
 * turn. The library would keep such rows for hours, or forever if they were replaced.
 */
const HELD_MS = 120_000;
/** Dead processes' rows are kept this long for diagnosis. */
const FORGOTTEN_MS = 86_400_000;
const EVERY_MS = 60_000;

/** Removes what killed processes left behind. */
async function tidyUp(pool: pg.Pool, schema: string): Promise<void> {
  await pool.query(
    `delete from ${JOBS_SCHEMA}._private_jobs j using ${JOBS_SCHEMA}._private_tasks t
     where t.id = j.task_id and t.identifier = $1
       and (j.locked_at < now() - $2::bigint * interval '1 ms' or (j.locked_at is null and j.attempts >= j.max_attempts))`,
    [wakeTask(schema), HELD_MS],
  );
  await pool.query(
    `delete from ${schema}.processes
     where beat_at < floor(extract(epoch from clock_timestamp()) * 1000)::bigint - $1::bigint`,
    [FORGOTTEN_MS],
  );
  await dropUnusedFunctions(pool, schema);
  // Another version may have dropped the function while this process was suspended for more than a day.
  const client = await pool.connect();
  try {
    await ensureAppendFunction(client, schema);
  } finally {
    client.release();
  }
}

/** Runs now and periodically. The returned function stops it. */
export function scheduleTidyUp(pool: pg.Pool, schema: string): () => void {
  // If the database is down, the next run retries.
  const tidy = (): void => void tidyUp(pool, schema).catch(() => undefined);
  tidy();
  const timer = setInterval(tidy, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
