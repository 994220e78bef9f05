import pg from 'pg';
import { appendQuery, type Appended, type AppendRow } from '../append-function.js';
import { fromPostgres } from '../errors.js';

/** A step that is ready to be written. */
interface Ready {
  /** The step as JSON. */
  step: string;
  chats: readonly string[];
}

/**
 * Writes steps. During an append, other steps in the world are collected and share the next append: the world's row is locked until the commit,
 * so otherwise each step would wait for its own sync.
 */
export interface Appender {
  /** `onAppended` is called in commit order. */
  append<T>(worldId: string, ready: Ready, onAppended: (appended: Appended) => T): Promise<T>;
  /** Runs a step that needs its own transaction, between appends to its world. */
  alone<T>(worldId: string, work: () => Promise<T>): Promise<T>;
}

type Waiting = (Ready & { done(appended: Appended): void; fail(error: unknown): void }) | { alone(): Promise<void> };
type Grouped = Extract<Waiting, Ready>;

const MAX_AT_ONCE = 64;
/** Limit per append. The first step may exceed it: a single message may be as large as a megabyte. */
const MAX_TEXT = 4_000_000;

export function createAppender(pool: pg.Pool, clock: { now(): number; heard(now: number): void }): Appender {
  const queues = new Map<string, Waiting[]>();

  async function send(worldId: string, group: readonly Grouped[]): Promise<readonly Appended[]> {
    const chats = group.flatMap((ready) => ready.chats);
    const steps = group.map(({ step }) => step);
    const client = await pool.connect();
    let isLost = true;
    try {
      // Read the clock here: the wait for a connection must not count as clock drift.
      const { rows } = await client.query<AppendRow>(appendQuery(worldId, chats, steps, clock.now()));
      isLost = false;
      return heard(rows);
    } catch (error) {
      isLost = !isRefusal(error);
      throw error;
    } finally {
      client.release(isLost);
    }
  }

  function heard(rows: readonly AppendRow[]): readonly Appended[] {
    const appended = rows[0]?.appended;
    if (appended === undefined) throw new Error('PostgreSQL returned no result for an append.');
    clock.heard(appended.now);
    return appended.results;
  }

  async function write(worldId: string, group: readonly Grouped[]): Promise<void> {
    try {
      const results = await send(worldId, group);
      for (const [index, one] of group.entries()) one.done(results[index] ?? 'stale');
    } catch (error) {
      // If the database rejects the group, retry its steps one by one, so that the valid ones succeed.
      if (group.length > 1 && isRefusal(error)) for (const one of group) await write(worldId, [one]);
      else for (const one of group) one.fail(explained(error));
    }
  }

  async function drain(worldId: string, queue: Waiting[]): Promise<void> {
    for (;;) {
      const [first] = queue;
      if (first === undefined) break;
      if ('alone' in first) {
        queue.shift();
        await first.alone();
        continue;
      }
      await write(worldId, takeGroup(queue));
    }
    queues.delete(worldId);
  }

  function enter(worldId: string, waiting: Waiting): void {
    const queue = queues.get(worldId);
    if (queue !== undefined) {
      queue.push(waiting);
      return;
    }
    const fresh = [waiting];
    queues.set(worldId, fresh);
    // Steps that are ready in the same tick are sent together.
    queueMicrotask(() => void drain(worldId, fresh));
  }

  return {
    append: (worldId, ready, onAppended) =>
      new Promise((resolve, reject) => {
        const done = (appended: Appended): void => {
          try {
            resolve(onAppended(appended));
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)));
          }
        };
        enter(worldId, { ...ready, done, fail: reject });
      }),
    alone: (worldId, work) =>
      new Promise((resolve, reject) => {
        enter(worldId, { alone: () => work().then(resolve, reject) });
      }),
  };
}

function takeGroup(queue: Waiting[]): Grouped[] {
  const group: Grouped[] = [];
  for (let text = 0; ;) {
    const [next] = queue;
    if (next === undefined || 'alone' in next || group.length === MAX_AT_ONCE) return group;
    text += next.step.length;
    if (group.length > 0 && text > MAX_TEXT) return group;
    group.push(next);
    queue.shift();
  }
}

/** Leaves database errors to the caller, which knows the step. */
function explained(error: unknown): unknown {
  return error instanceof pg.DatabaseError ? error : fromPostgres(error);
}

/** Whether the server rejected the query, so that nothing was committed. Excludes class 57P, which ends the connection. */
function isRefusal(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !/^(?:08|57P)/.test(error.code ?? '');
}
