import type { StepWrites } from '@countersign/core/ports';
import { CountersignError } from '@countersign/protocol';
import pg from 'pg';
import { appendQuery, type Appended, type AppendRow } from '../append-function.js';
import type { Statements } from '../../statements.js';
import { toStored } from '../../text.js';
import { fromPostgres } from '../errors.js';
import { wakeQuery } from '../wake-jobs.js';
import type { Operation } from './plan.js';
import { namedQuery } from './query.js';
import { toCheck, toLimit, toLogWrites, type Decided } from './to-step.js';
import { writeBulk } from './write-bulk.js';

export interface StepTools {
  pool: pg.Pool;
  statements: Statements;
  /** The task name for jobs. */
  task: string;
  /** This process's estimate of the database's time. */
  clock: { now(): number; heard(now: number): void };
}

/**
 * Writes a step in its own transaction, if it deletes, changes the world or its agents, or passes turns to other processes. Locks in the usual
 * order: chats, world, anything else.
 */
export async function writeAlone(
  { pool, statements, task, clock }: StepTools,
  decided: Decided,
  operations: readonly Operation[],
  writes: StepWrites,
): Promise<Appended> {
  const { worldId, at } = decided;
  const client = await pool.connect().catch((cause: unknown) => {
    throw fromPostgres(cause);
  });
  const append = async (step: object, chats: readonly string[] = [], now: number | null = null): Promise<Appended> => {
    const { rows } = await client.query<AppendRow>(appendQuery(worldId, chats, [JSON.stringify(step)], now));
    return rows[0]?.appended.results[0] ?? 'stale';
  };
  let isCommitted = false;
  try {
    await client.query('begin isolation level read committed');
    if (writes.changes.some(({ kind }) => kind === 'world-deleted')) {
      await client.query(namedQuery(LOCK_CHATS, [toStored(worldId)]));
    }
    const checked = await append(toCheck(decided), [...decided.chats.keys()].map(toStored), clock.now());
    if (typeof checked === 'string') return checked;
    for (const operation of operations) {
      if ('rows' in operation) await append({ at, ...operation.rows });
      else for (const query of writeBulk(operation.fact, statements, at)) await client.query(query);
    }
    if (writes.wakes.length > 0) await client.query(wakeQuery(writes.wakes, task));
    // The step's approvals are already written, so they count as pending.
    const appended = await append({ ...toLogWrites(worldId, at, writes), ...toLimit({ ...writes, changes: [] }) });
    if (typeof appended === 'string') return appended;
    await client.query('commit');
    isCommitted = true;
    return appended;
  } catch (cause) {
    throw cause instanceof pg.DatabaseError || cause instanceof CountersignError ? cause : fromPostgres(cause);
  } finally {
    const isLost = !isCommitted && (await client.query('rollback').then(no, yes));
    client.release(isLost);
  }
}

/** Locks all chats in a deleted world: a concurrent step waits, and then finds the chat deleted. */
const LOCK_CHATS = 'select 1 from chats where world_id = $1 order by id for no key update';

function no(): boolean {
  return false;
}
function yes(): boolean {
  return true;
}
