import type { StepWrites } from '@countersign/core/ports';
import { CountersignError } from '@countersign/protocol';
import pg from 'pg';
import type { Finished } from '../engine.js';
import { appendQuery, type AppendRow } from './append-function.js';
import { holdBack } from './hold-back.js';
import { eventsOf, toSaid } from './step/to-step.js';

/**
 * Ends a transaction: numbers its events, links its records and commits in one message. The world's row is locked from the first of these to the
 * commit, and every step of that world waits for it: with the way to this process and back in between, it would be a slow line.
 */
export async function finishAndCommit(
  client: pg.ClientBase,
  { emissions, records, now }: Pick<StepWrites, 'emissions' | 'records'> & { now: number },
  worldId: string,
): Promise<Finished> {
  // A world that was deleted since the transaction read it takes nothing any more.
  const said = { ...toSaid(worldId, now, { emissions, records }), living: true };
  const query = appendQuery(worldId, [], [JSON.stringify(said)], null);
  // From here to `send` nothing may throw: what is held back would never go out, nor anything after it.
  const send = holdBack(client);
  const appending = client.query<AppendRow>(query);
  const committing = client.query('commit');
  send();
  // None is left behind: a connection that is given back in the middle would answer somebody else.
  await Promise.allSettled([appending, committing]);
  try {
    const [{ rows }, { command }] = await Promise.all([appending, committing]);
    const appended = rows[0]?.appended.results[0];
    if (command !== 'COMMIT' || appended === undefined || typeof appended === 'string') {
      throw new Error('PostgreSQL did not keep this change.');
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
