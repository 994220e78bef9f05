import { SERVER_LOG, type StepWrites } from '@countersign/core/ports';
import { CountersignError } from '@countersign/protocol';
import pg from 'pg';
import type { Finished } from '../engine.js';
import { appendQuery, type AppendRow } from './append-function.js';
import { bufferQueries } from './buffer-queries.js';
import { eventsOf, toLogWrites } from './step/to-step.js';

/**
 * Ends a transaction: numbers its events, chains its records and commits in one round trip, because the world's row stays
 * locked until the commit and every step in the world waits for it.
 */
export async function finishAndCommit(
  client: pg.ClientBase,
  { emissions, records, now }: Pick<StepWrites, 'emissions' | 'records'> & { now: number },
  worldId: string,
): Promise<Finished> {
  // Fails if the world was deleted since the transaction read it. The server's log is stored like that of a deleted world.
  const living = worldId === SERVER_LOG ? {} : { living: true };
  const writes = { ...toLogWrites(worldId, now, { emissions, records }), ...living };
  const query = appendQuery(worldId, [], [JSON.stringify(writes)], null);
  // Nothing may throw until `send`: buffered queries would never be sent.
  const send = bufferQueries(client);
  const appending = client.query<AppendRow>(query);
  const committing = client.query('commit');
  send();
  // Await both: if the connection were released too early, its next user would get this response.
  await Promise.allSettled([appending, committing]);
  try {
    const [{ rows }, { command }] = await Promise.all([appending, committing]);
    const appended = rows[0]?.appended.results[0];
    if (command !== 'COMMIT' || appended === undefined || typeof appended === 'string') {
      throw new Error('PostgreSQL rolled back this change.');
    }
    const [lastEvent, seq, hash] = appended;
    const events = eventsOf(worldId, now, emissions, lastEvent, 0);
    return { events, head: records.length === 0 ? undefined : { seq, hash } };
  } catch (cause) {
    if (!(cause instanceof pg.DatabaseError) || cause.code !== NO_DATA_FOUND) throw cause;
    throw new CountersignError('not-found', `There is no world "${worldId}".`, { cause });
  }
}

const NO_DATA_FOUND = 'P0002';
