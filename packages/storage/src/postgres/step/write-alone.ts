import type { StepWrites } from '@countersign/core/ports';
import { CountersignError } from '@countersign/protocol';
import pg from 'pg';
import { appendQuery, type Appended, type AppendRow } from '../append-function.js';
import { fromStored, toStored } from '../../text.js';
import { fromPostgres } from '../errors.js';
import { wakeQuery } from '../wake-jobs.js';
import type { Operation } from './plan.js';
import { namedQuery, type Query } from './query.js';
import type { StepTools } from './run-step.js';
import { toStep, type Decided } from './to-step.js';
import { raisesRev, writeWide } from './write-wide.js';

/**
 * Writes a step that one call of the append function can't, in a transaction of its own: it deletes, changes the world or its agents, or hands
 * turns to other processes. Locked in the same order: chats, then an agent, then the world.
 */
export async function writeAlone(
  { pool, statements, task }: StepTools,
  decided: Decided,
  operations: readonly Operation[],
  writes: StepWrites,
): Promise<Appended> {
  const { worldId, at } = decided;
  const client = await pool.connect().catch((cause: unknown) => {
    throw fromPostgres(cause);
  });
  let isKept = false;
  try {
    await client.query('begin isolation level read committed');
    if (!(await lockChats(client, decided.chats))) return 'stale';
    let { rev } = decided;
    for (const operation of operations) {
      if ('fact' in operation) rev += raisesRev(operation.fact);
      const queries: Query[] =
        'fact' in operation
          ? writeWide(operation.fact, statements, at)
          : [appendQuery(worldId, [], [JSON.stringify({ at, ...operation.rows })], null)];
      for (const query of queries) await client.query(query);
    }
    if (writes.wakes.length > 0) await client.query(wakeQuery(writes.wakes, task));
    // Its approvals are written and counted among the pending ones; its chats are checked already.
    const facts = writes.facts.filter(({ kind }) => kind !== 'approval-requested');
    const step = JSON.stringify(toStep({ ...decided, rev, chats: new Map() }, undefined, { ...writes, facts }));
    const { rows } = await client.query<AppendRow>(appendQuery(worldId, [], [step], null));
    const appended = rows[0]?.appended.results[0] ?? 'stale';
    if (typeof appended === 'string') return appended;
    await client.query('commit');
    isKept = true;
    return appended;
  } catch (cause) {
    throw cause instanceof pg.DatabaseError || cause instanceof CountersignError ? cause : fromPostgres(cause);
  } finally {
    const isLost = !isKept && (await client.query('rollback').then(no, yes));
    client.release(isLost);
  }
}

/** False: somebody else has changed one of them. */
async function lockChats(client: pg.ClientBase, chats: Decided['chats']): Promise<boolean> {
  if (chats.size === 0) return true;
  const ids = [...chats.keys()].map(toStored);
  const { rows } = await client.query<{ id: string; version: string }>(namedQuery(LOCK, [ids]));
  return rows.length === chats.size && rows.every(({ id, version }) => chats.get(fromStored(id))?.version === version);
}

const LOCK = 'select id, xmin::text as version from chats where id = any($1::text[]) order by id for no key update';

function no(): boolean {
  return false;
}
function yes(): boolean {
  return true;
}
