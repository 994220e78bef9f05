import type { StepWrites } from '@countersign/core/ports';
import { CountersignError, recordText } from '@countersign/protocol';
import pg from 'pg';
import type { AuditHead } from '../audit/head.js';
import type { Finished } from '../engine.js';
import { toStored } from '../text.js';
import { toEventRow, toStoredEvent } from '../verbs/events.js';
import { holdBack } from './hold-back.js';

/** What a step in chats does besides, in the same message. */
interface StepEnd {
  /** Written first. */
  queries: readonly pg.QueryConfig[];
  /** What the world's `rev` must be after them, or the step was decided on an older world. */
  rev: number;
  limit: StepWrites['limit'];
}

/** Another step was faster. Nothing of this one was kept, and it can be decided again. */
export class StaleStep extends CountersignError {}

export function staleStep(cause: unknown): StaleStep {
  return new StaleStep('store-unavailable', 'Somebody else changed this at the same time. Try again.', { cause });
}

/**
 * Numbers, chains and commits in one message. The world's row is locked from the first of these statements to the commit, and every
 * step of that world waits for it: with the way to this process and back in between, a busy machine would make one world a slow line
 * that gets slower with each process that joins.
 *
 * All that depends on the row's numbers is worked out by the database; the chain's links are the same as `link` makes.
 */
export async function finishAndCommit(
  client: pg.ClientBase,
  { emissions, records, now }: Pick<StepWrites, 'emissions' | 'records'> & { now: number },
  worldId: string,
  step?: StepEnd,
): Promise<Finished> {
  const { queries = [], rev = null, limit } = step ?? {};
  const rows = emissions.map((emission) => toEventRow(worldId, 0, now, emission));
  const data = rows.map((row) => (row.data === null ? null : toStored(row.data)));
  const at = new Date(now).toISOString();
  const chained = records.map((entry) => toStored(recordText({ ...entry, at, worldId })));
  // Sent without waiting for each other; the first failure makes the commit a rollback. From here to `send` nothing may throw: what is held
  // back would never go out, nor anything after it.
  const send = holdBack(client);
  const writing = queries.map((query) => client.query(query));
  const telling = client.query<{ last: number }>({
    name: 'countersign_tell',
    text: TELL,
    values: [
      worldId,
      rows.length,
      now,
      rows.map(({ chatId }) => chatId),
      rows.map(({ event }) => event),
      rows.map(({ messageId }) => messageId),
      data,
      rev,
      limit === undefined ? null : toStored(limit.agentId),
      limit?.mostPending ?? null,
    ],
  });
  const chaining = chained.length === 0 ? undefined : chain(client, worldId, chained);
  const committing = client.query('commit');
  send();
  // None is left behind: a connection that is given back in the middle would answer somebody else.
  await Promise.allSettled([...writing, telling, chaining, committing]);
  try {
    await Promise.all(writing);
    const [told, head, { command }] = await Promise.all([telling, chaining, committing]);
    if (command !== 'COMMIT') throw new Error('PostgreSQL did not keep this step.');
    const first = (told.rows[0]?.last ?? 0) - emissions.length + 1;
    return {
      events: emissions.map((emission, index) => toStoredEvent(worldId, first + index, now, emission)),
      head,
    };
  } catch (cause) {
    if (!(cause instanceof pg.DatabaseError) || cause.code !== '23502') throw cause;
    if (cause.table === 'worlds' && cause.column === 'event_seq') throw staleStep(cause);
    if (cause.table === 'worlds' && limit !== undefined) {
      throw new StaleStep('conflict', `At most ${limit.mostPending} approvals of an agent can be pending.`, { cause });
    }
    // A world that is not there gives no number.
    const isMissing = cause.table === 'events' || cause.table === 'audit';
    throw isMissing ? new CountersignError('not-found', `There is no world "${worldId}".`, { cause }) : cause;
  }
}

async function chain(client: pg.ClientBase, worldId: string, records: string[]): Promise<AuditHead | undefined> {
  const { rows } = await client.query<AuditHead>({
    name: 'countersign_chain',
    text: CHAIN,
    values: [worldId, records],
  });
  return rows[0];
}

/**
 * Also the lock. Only under it is it known whether the world is as the step has read it ($8) and whether too many approvals of an agent are
 * pending ($9, $10): a column becomes null, and the table refuses it. So it does an event without a number, if there is no such world.
 */
const TELL = `
  with taken as (
    update worlds set
      event_seq = case when $8::bigint is null or rev = $8::bigint then event_seq + $2::bigint end,
      audit_seq = case when $9::text is null or (select count(*) from approvals
        where status = 'pending' and world_id = $1::text and agent_id = $9::text) <= $10::bigint then audit_seq end
    where id = $1::text returning event_seq
  ),
  told as (
    insert into events (world_id, id, chat_id, event, message_id, data, at)
    select $1::text, (select event_seq from taken) - $2::bigint + e.position, e.chat_id, e.event, e.message_id, e.data, $3::bigint
    from unnest($4::text[], $5::text[], $6::text[], $7::text[]) with ordinality as e (chat_id, event, message_id, data, position)
  )
  select event_seq as last from taken`;

/** A separate statement, so that it sees the row as the previous holder of the lock left it. */
const CHAIN = `
  with recursive chain (position, seq, record, previous_hash, hash) as (
    select 0, w.audit_seq, null::text, null::text, w.audit_hash
    from (select 1) one left join worlds w on w.id = $1::text
    union all
    select position + 1, seq + 1, ($2::text[])[position + 1], hash,
      encode(sha256(convert_to(hash || ($2::text[])[position + 1], 'UTF8')), 'hex')
    from chain where position < cardinality($2::text[])
  ),
  linked as (
    insert into audit (world_id, seq, record, previous_hash, hash)
    select $1::text, seq, record, previous_hash, hash from chain where position > 0 returning seq, hash
  )
  update worlds set audit_seq = l.seq, audit_hash = l.hash
  from (select seq, hash from linked order by seq desc limit 1) l
  where id = $1::text returning audit_seq as seq, audit_hash as hash`;
