import { CountersignError } from '@countersign/protocol';
import pg from 'pg';

const TIMEOUT_MS = 30_000;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Takes an advisory lock until the transaction ends. Waits for a running migration, but with a timeout: any database role can hold this
 * lock.
 */
export async function takeLock(client: pg.ClientBase, lock: number, timeoutMs: number = TIMEOUT_MS): Promise<void> {
  await client.query(`set local lock_timeout = ${timeoutMs}`);
  try {
    await client.query('select pg_advisory_xact_lock($1)', [lock]);
  } catch (cause) {
    if (!(cause instanceof pg.DatabaseError) || cause.code !== LOCK_NOT_AVAILABLE) throw cause;
    throw new CountersignError(
      'store-unavailable',
      `Another session has held the migration lock of this PostgreSQL database for ${timeoutMs / 1000} s. If no other Countersign process is ` +
        `starting, find the session with "select pid from pg_locks where locktype = 'advisory' and objid = ${lock}" and end it, then start again.`,
    );
  }
  await client.query('set local lock_timeout = 0');
}
