import type { OnCommit, StepNeeds, StepWrites } from '@countersign/core/ports';
import { CountersignError } from '@countersign/protocol';
import pg from 'pg';
import type { Decide, Finished } from '../../engine.js';
import type { Statements } from '../../statements.js';
import { toStored } from '../../text.js';
import type { Appended } from '../append-function.js';
import { fromPostgres } from '../errors.js';
import { createAppender } from './appender.js';
import { createTurns } from './in-turn.js';
import { chatAfter, createKeptChats, type KeptChats } from './kept-chats.js';
import { loadQuery, type Loaded } from './load.js';
import { plan } from './plan.js';
import { chatsOf, clientsOf, keptReads, NotLoaded, readsOf, type GivenReads } from './reads.js';
import { eventsOf, toStep } from './to-step.js';
import { writeAlone } from './write-alone.js';

export interface StepTools {
  pool: pg.Pool;
  statements: Statements;
  /** Under which name wake-ups are written. */
  task: string;
  /** The database's time, as far as this process knows it. */
  clock: { now(): number; heard(now: number): void };
}

export interface Stepper {
  step<T>(
    worldId: string,
    needs: StepNeeds,
    decide: Decide<T>,
    kept: OnCommit | undefined,
  ): Promise<Finished & { value: T }>;
  /** Something was written in a transaction: any world may have another `rev` or other clients. */
  forgetWorlds(): void;
}

/** Another step was faster, or it was decided on what was no longer so. Nothing of it was kept, and it can be decided again. */
class StaleStep extends CountersignError {}

const MOST_TRIES = 20;

/**
 * A step is decided on what this process remembers and written with one statement, which checks that it still is so. If it isn't, or if the
 * step reads what is not remembered, it is decided again on what is loaded then. Steps of one chat take turns, so its state is never one that
 * is not committed.
 */
export function createStepper(tools: StepTools, kept: KeptChats = createKeptChats()): Stepper {
  const { pool, clock } = tools;
  const inTurn = createTurns();
  const appender = createAppender(pool, clock);
  // A server that restarts after a crash may have lost commits and give their transaction ids again, with the same start time.
  pool.on('error', () => kept.clear());
  pool.on('release', (error) => {
    if (error) kept.clear();
  });

  async function load(worldId: string, needs: StepNeeds): Promise<GivenReads> {
    const { rows } = await pool.query<Loaded>(loadQuery(worldId, needs)).catch(fail);
    const [loaded] = rows;
    if (loaded === undefined) throw new Error('PostgreSQL did not answer a read.');
    clock.heard(loaded.now);
    const chats = chatsOf(loaded);
    const foreign = new Set(
      [...chats].filter(([id, { version }]) => kept.lastVersion(id) !== version).map(([id]) => id),
    );
    for (const [id, chat] of chats) kept.keep(id, chat);
    const clients = clientsOf(loaded, needs);
    for (const [id, client] of clients) kept.keepClient(id, client);
    if (loaded.rev === null) kept.dropRev(worldId);
    else kept.keepRev(worldId, loaded.rev);
    return readsOf(loaded, needs, chats, clients, foreign);
  }

  /** Half changed, or changed by what was not kept. */
  function drop(worldId: string, { chats, clients = [] }: StepNeeds): void {
    for (const id of chats) kept.drop(id);
    for (const id of clients) kept.dropClient(id);
    kept.dropRev(worldId);
  }

  async function tryStep<T>(
    worldId: string,
    needs: StepNeeds,
    decide: Decide<T>,
    published: OnCommit | undefined,
    reads: GivenReads,
  ): Promise<Finished & { value: T }> {
    const { given: chats, givenClients: clients } = reads;
    const { value, writes } = decideOn(reads, decide);
    if (isNothing(writes)) {
      // Nothing is appended, so nothing checks what it was decided on.
      if (reads.isKept && needs.recent !== true) throw new NotLoaded('A step that writes nothing has to look.');
      return { value, events: [], head: undefined };
    }
    const { worldRev, now: at } = reads;
    if (worldRev === undefined) throw new CountersignError('not-found', `There is no world "${worldId}".`);
    const follow = (appended: Appended): Finished & { value: T } => {
      const { version, ...finished } = finishedBy(appended, worldId, at, writes);
      for (const [id, chat] of chats) kept.keep(id, chatAfter(chat, writes.changes, version));
      published?.(finished.events);
      return { value, ...finished };
    };
    const decided = { worldId, at, rev: worldRev, chats, clients, working: reads.assumedWorking };
    const operations = plan(writes.changes);
    const [only, more] = operations;
    if (more === undefined && (only === undefined || 'rows' in only) && writes.wakes.length === 0) {
      const step = JSON.stringify(toStep(decided, only?.rows, writes));
      const ready = { step, chats: [...chats.keys()].map(toStored) };
      return await appender.append(worldId, ready, follow);
    }
    if (decided.working !== undefined) throw new NotLoaded('A step of several operations counts turns.');
    return await appender.alone(worldId, async () => {
      const finished = follow(await writeAlone(tools, decided, operations, writes));
      drop(worldId, needs);
      if (writes.changes.some(({ kind }) => kind === 'world-deleted')) kept.clear();
      return finished;
    });
  }

  return {
    step: (worldId, needs, decide, published) =>
      inTurn(needs.chats, async () => {
        /** A look is given the newest, also what another process has written. */
        let mustLoad = needs.isLook === true && needs.recent !== true;
        for (let left = MOST_TRIES; ; left -= 1) {
          try {
            const known = mustLoad ? undefined : keptReads(worldId, needs, kept, clock.now());
            return await tryStep(worldId, needs, decide, published, known ?? (await load(worldId, needs)));
          } catch (cause) {
            const error = asStale(cause, !mustLoad && needs.sent !== undefined);
            drop(worldId, needs);
            const isAgain = error instanceof NotLoaded || error instanceof StaleStep;
            if (!isAgain || left === 1) throw error;
            mustLoad = true;
          }
        }
      }),
    forgetWorlds: () => kept.forgetWorlds(),
  };
}

function finishedBy(
  appended: Appended,
  worldId: string,
  now: number,
  writes: StepWrites,
): Finished & { version: string } {
  if (appended === 'full') {
    throw new StaleStep('conflict', `At most ${writes.limit?.mostPending} approvals of an agent can be pending.`);
  }
  if (appended === 'stale') throw new StaleStep('store-unavailable', BUSY);
  const [lastEvent, seq, hash, moreWorking, version] = appended;
  const events = eventsOf(worldId, now, writes.emissions, lastEvent, moreWorking);
  return { events, head: writes.records.length === 0 ? undefined : { seq, hash }, version };
}

const BUSY = 'Somebody else changed this at the same time. Try again.';

/** What it throws on what is kept here may be because of what is no longer so. */
function decideOn<T>(reads: GivenReads, decide: Decide<T>): ReturnType<Decide<T>> {
  try {
    return decide(reads);
  } catch (cause) {
    throw reads.isKept ? new NotLoaded('A step that fails has to look.', { cause }) : cause;
  }
}

function isNothing({ changes, emissions, records, wakes }: StepWrites): boolean {
  return changes.length + emissions.length + records.length + wakes.length === 0;
}

/** What the database says, as something that can be tried again or acted on. Anything else stays as it is. */
function asStale(cause: unknown, assumesUnsent: boolean): unknown {
  if (!(cause instanceof pg.DatabaseError)) return cause;
  // A step that a deadlock ended has written nothing. A message that was sent before is found when the step looks.
  const wasSent = assumesUnsent && cause.constraint === 'messages_by_client_id';
  const isAgain = cause.code === '40P01' || cause.code === '40001' || wasSent;
  if (isAgain) return new StaleStep('store-unavailable', BUSY, { cause });
  if (cause.code === '23505' && cause.table === 'agents') {
    return new CountersignError('conflict', "This agent id was used before and can't be reused.", { cause });
  }
  return fromPostgres(cause);
}
function fail(cause: unknown): never {
  throw fromPostgres(cause);
}
