import type { OnCommit, StepNeeds, StepWrites } from '@countersign/core/ports';
import { CountersignError } from '@countersign/protocol';
import pg from 'pg';
import type { Decide, Finished } from '../../engine.js';
import { toStored } from '../../text.js';
import type { Appended } from '../append-function.js';
import { fromPostgres } from '../errors.js';
import { createAppender } from './appender.js';
import { createTurns } from './in-turn.js';
import { chatAfter, createChatCache, type ChatCache } from './chat-cache.js';
import { loadQuery, type Loaded } from './load.js';
import { plan } from './plan.js';
import { chatsOf, clientsOf, cachedReads, NotLoaded, readsOf, type GivenReads } from './reads.js';
import { eventsOf, toStep } from './to-step.js';
import { writeAlone, type StepTools } from './write-alone.js';

export interface Stepper {
  step<T>(
    worldId: string,
    needs: StepNeeds,
    decide: Decide<T>,
    onCommit: OnCommit | undefined,
  ): Promise<Finished & { value: T }>;
  /** Called after a transaction: any world may have a new `rev` or other clients. */
  forgetWorlds(): void;
}

/** Thrown if another step was faster or the cached state was outdated. Nothing was written, and the step can be decided again. */
class StaleStep extends CountersignError {}

const MAX_TRIES = 20;

/**
 * Decides a step based on cached state and writes it with one statement that checks the versions. If they are outdated or something is not cached,
 * decides again, using loaded data. Steps in one chat are serialized, so cached state is always committed.
 */
export function createStepper(tools: StepTools, cache: ChatCache = createChatCache()): Stepper {
  const { pool, clock } = tools;
  const inTurn = createTurns();
  const appender = createAppender(pool, clock);
  // After a crash, the server may have lost commits and may reuse their transaction ids.
  pool.on('error', () => cache.clear());
  pool.on('release', (error) => {
    if (error) cache.clear();
  });

  async function load(worldId: string, needs: StepNeeds): Promise<GivenReads> {
    const { rows } = await pool.query<Loaded>(loadQuery(worldId, needs)).catch(fail);
    const [loaded] = rows;
    if (loaded === undefined) throw new Error('PostgreSQL did not answer a read.');
    clock.heard(loaded.now);
    const chats = chatsOf(loaded);
    const foreign = new Set(
      [...chats].filter(([id, { version }]) => cache.lastVersion(id) !== version).map(([id]) => id),
    );
    for (const [id, chat] of chats) cache.keep(id, chat);
    const clients = clientsOf(loaded, needs);
    for (const [id, client] of clients) cache.keepClient(id, client);
    if (loaded.rev === null) cache.dropRev(worldId);
    else cache.keepRev(worldId, loaded.rev);
    return readsOf(loaded, needs, chats, clients, foreign);
  }

  /** Drops state that may be partly changed, or was changed by a failed step. */
  function drop(worldId: string, { chats, clients = [] }: StepNeeds): void {
    for (const id of chats) cache.drop(id);
    for (const id of clients) cache.dropClient(id);
    cache.dropRev(worldId);
  }

  async function tryStep<T>(
    worldId: string,
    needs: StepNeeds,
    decide: Decide<T>,
    published: OnCommit | undefined,
    reads: GivenReads,
  ): Promise<Finished & { value: T }> {
    const { given: chats, givenClients: clients, givenPeople: people } = reads;
    const { value, writes } = decideOn(reads, decide);
    if (isNothing(writes)) {
      // Without an append, the cached state is not verified.
      if (reads.isCached && needs.recent !== true)
        throw new NotLoaded('A step that writes nothing needs loaded state.');
      return { value, events: [], head: undefined };
    }
    const { worldRev, now: at } = reads;
    if (worldRev === undefined) throw new CountersignError('not-found', `There is no world "${worldId}".`);
    const follow = (appended: Appended): Finished & { value: T } => {
      const { version, ...finished } = finishedBy(appended, worldId, at, writes);
      for (const [id, chat] of chats) cache.keep(id, chatAfter(chat, writes.changes, version));
      published?.(finished.events);
      return { value, ...finished };
    };
    const decided = { worldId, at, rev: worldRev, chats, clients, people, working: reads.assumedWorking };
    const operations = plan(writes.changes);
    const [only, more] = operations;
    if (more === undefined && (only === undefined || 'rows' in only) && writes.wakes.length === 0) {
      const step = JSON.stringify(toStep(decided, only?.rows, writes));
      const ready = { step, chats: [...chats.keys()].map(toStored) };
      return await appender.append(worldId, ready, follow);
    }
    if (decided.working !== undefined)
      throw new NotLoaded("A step with several operations can't rely on the loaded number of working turns.");
    return await appender.alone(worldId, async () => {
      const finished = follow(await writeAlone(tools, decided, operations, writes));
      drop(worldId, needs);
      if (writes.changes.some(({ kind }) => kind === 'world-deleted')) cache.clear();
      return finished;
    });
  }

  return {
    step: (worldId, needs, decide, published) =>
      inTurn(needs.chats, async () => {
        /** A read-only step always loads, to include writes by other processes. */
        let mustLoad = needs.isReadOnly === true && needs.recent !== true;
        for (let left = MAX_TRIES; ; left -= 1) {
          try {
            const known = mustLoad ? undefined : cachedReads(worldId, needs, cache, clock.now());
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
    forgetWorlds: () => cache.forgetWorlds(),
  };
}

function finishedBy(
  appended: Appended,
  worldId: string,
  now: number,
  writes: StepWrites,
): Finished & { version: string } {
  if (appended === 'full') {
    throw new StaleStep('conflict', `An agent can have at most ${writes.limit?.mostPending} pending approvals.`);
  }
  if (appended === 'stale') throw new StaleStep('store-unavailable', BUSY);
  const [lastEvent, seq, hash, moreWorking, version] = appended;
  const events = eventsOf(worldId, now, writes.emissions, lastEvent, moreWorking);
  return { events, head: writes.records.length === 0 ? undefined : { seq, hash }, version };
}

const BUSY = 'Other requests kept changing the same data, so nothing was saved. Try again.';

/** Decides the step. If the state is cached, an error may be caused by outdated data. */
function decideOn<T>(reads: GivenReads, decide: Decide<T>): ReturnType<Decide<T>> {
  try {
    return decide(reads);
  } catch (cause) {
    throw reads.isCached
      ? new NotLoaded('A step failed on cached state and is retried on loaded state.', { cause })
      : cause;
  }
}

function isNothing({ changes, emissions, records, wakes }: StepWrites): boolean {
  return changes.length + emissions.length + records.length + wakes.length === 0;
}

/** Converts database errors that can be retried or acted on. Anything else stays unchanged. */
function asStale(cause: unknown, assumesUnsent: boolean): unknown {
  if (!(cause instanceof pg.DatabaseError)) return cause;
  // A deadlock victim has written nothing. A message that was already sent is found on reload.
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
