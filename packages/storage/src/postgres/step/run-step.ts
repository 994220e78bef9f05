import type { StepNeeds, StepWrites } from '@countersign/core/ports';
import { CountersignError } from '@countersign/protocol';
import pg from 'pg';
import type { Decide, Finished } from '../../engine.js';
import type { Statements } from '../../statements.js';
import { toStored } from '../../text.js';
import { fromPostgres } from '../errors.js';
import { finishAndCommit, staleStep, StaleStep } from '../finish-and-commit.js';
import { giveBack } from '../give-back.js';
import { beginAndLoad } from './load.js';
import { plan } from './plan.js';
import { namedQuery, type Query } from './query.js';
import { readsOf } from './reads.js';
import { writeRows } from './write-rows.js';
import { raisesRev, writeWide } from './write-wide.js';

export interface StepTools {
  pool: pg.Pool;
  statements: Statements;
  /** Under which name wake-ups are written. */
  task: string;
  /** Hears the database's time. */
  onMoment: (now: number) => void;
}

/** One step, decided again on newer state as often as another step was faster. */
export async function runStep<T>(
  tools: StepTools,
  worldId: string,
  needs: StepNeeds,
  decide: Decide<T>,
): Promise<Finished & { value: T }> {
  for (let left = MOST_TRIES; ; left -= 1) {
    try {
      return await tryStep(tools, worldId, needs, decide);
    } catch (error) {
      if (!(error instanceof StaleStep) || left === 1) throw error;
    }
  }
}

const MOST_TRIES = 20;

async function tryStep<T>(
  { pool, statements, task, onMoment }: StepTools,
  worldId: string,
  needs: StepNeeds,
  decide: Decide<T>,
): Promise<Finished & { value: T }> {
  const client = await pool.connect().catch(fail);
  try {
    const loaded = await beginAndLoad(client, worldId, needs).catch(fail);
    onMoment(loaded.now);
    const { value, writes } = decide(readsOf(loaded, needs));
    if (isNothing(writes)) {
      giveBack(client);
      return { value, events: [], head: undefined };
    }
    if (loaded.rev === null) throw new CountersignError('not-found', `There is no world "${worldId}".`);
    const { queries, rev } = queriesOf(writes, statements, task, { worldId, now: loaded.now, rev: loaded.rev });
    const { emissions, records, limit } = writes;
    const session = { emissions, records, now: loaded.now };
    const finished = await finishAndCommit(client, session, worldId, { queries, rev, limit }).catch(fail);
    client.release();
    return { value, ...finished };
  } catch (error) {
    const isLost = await client.query('rollback').then(no, yes);
    client.release(isLost);
    throw error;
  }
}

/** All that a step writes before its events are numbered, and the world's `rev` after it. */
function queriesOf(
  { facts, wakes, limit }: StepWrites,
  statements: Statements,
  task: string,
  at: { worldId: string; now: number; rev: number },
): { queries: Query[]; rev: number } {
  let { rev } = at;
  // Chats, then the agent, then the world: always in this order.
  const queries = limit === undefined ? [] : [namedQuery(LOCK_AGENT, [at.worldId, limit.agentId].map(toStored))];
  let toWake = wakes;
  for (const operation of plan(facts)) {
    if ('rows' in operation) {
      queries.push(writeRows(operation.rows, toWake, task));
      toWake = [];
    } else {
      rev += raisesRev(operation.fact);
      queries.push(...writeWide(operation.fact, statements, at.now));
    }
  }
  if (toWake.length > 0) queries.push(writeRows({ inserts: new Map(), changes: new Map() }, toWake, task));
  return { queries, rev };
}

const LOCK_AGENT = 'select 1 from agents where world_id = $1 and id = $2 for no key update';

function isNothing({ facts, emissions, records, wakes }: StepWrites): boolean {
  return facts.length + emissions.length + records.length + wakes.length === 0;
}

function fail(cause: unknown): never {
  if (cause instanceof StaleStep) throw cause;
  if (cause instanceof pg.DatabaseError) {
    // A step that a deadlock ended has written nothing and can try again.
    if (cause.code === '40P01' || cause.code === '40001') throw staleStep(cause);
    if (cause.code === '23505' && cause.table === 'agents') {
      throw new CountersignError('conflict', 'This agent id was given before and is never given again.', { cause });
    }
  }
  throw fromPostgres(cause);
}
function no(): boolean {
  return false;
}
function yes(): boolean {
  return true;
}
