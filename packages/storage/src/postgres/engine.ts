import type pg from 'pg';
import { verbsOn, type Engine, type Unit } from '../engine.js';
import type { Statements } from '../statements.js';
import { postgresConnection, type PostgresConnection } from './connection.js';
import { fromPostgres } from './errors.js';
import { releaseAfterRead } from './release-after-read.js';
import { bufferQueries } from './buffer-queries.js';
import { finishAndCommit } from './finish-and-commit.js';
import { createStepper } from './step/run-step.js';

interface Desk {
  connection: PostgresConnection;
  unit: Unit;
  /** Whether the commit was sent together with the last statements. */
  isCommitted: boolean;
}

/** Takes a connection from the pool for each operation. The database's clock is authoritative for all machines (CALL11). */
export function postgresEngine(pool: pg.Pool, statements: Statements, task: string): Engine {
  const desks = new WeakMap<pg.PoolClient, Desk>();
  /** Database time at `performance.now() === 0`, updated by each step. `createStore` runs a step before any read. */
  let zero = 0;

  function deskOf(client: pg.PoolClient): Desk {
    const known = desks.get(client);
    if (known !== undefined) return known;
    const connection = postgresConnection(client);
    const verbs = verbsOn(connection, statements);
    const { state } = verbs;
    const finish: Unit['finish'] = async (worldId) => {
      if (state.emissions.length === 0 && state.records.length === 0) return { events: [], head: undefined };
      connection.stop();
      connection.assertWhole();
      desk.isCommitted = true;
      return await finishAndCommit(client, state, worldId).catch(fail);
    };
    const desk: Desk = { connection, unit: { ...verbs, finish }, isCommitted: false };
    desks.set(client, desk);
    return desk;
  }

  async function run<T>(kind: 'read' | 'write', work: (unit: Unit) => Promise<T>): Promise<T> {
    const client = await pool.connect().catch(fail);
    const desk = deskOf(client);
    const { connection, unit } = desk;
    try {
      if (kind === 'write') {
        // Sends `begin` and the query for the current time in one round trip.
        unit.state.now = momentOf(await client.query(`${BEGIN.write}; ${NOW}`).catch(fail));
        clock.heard(unit.state.now);
      } else {
        beginRead(client);
        unit.state.now = clock.now();
      }
      unit.state.emissions = [];
      unit.state.records = [];
      connection.start();
      desk.isCommitted = false;
      const result = await work(unit);
      connection.stop();
      connection.assertWhole();
      if (kind === 'read') releaseAfterRead(client);
      else {
        if (!desk.isCommitted) await client.query('commit').catch(fail);
        client.release();
      }
      return result;
    } catch (error) {
      connection.stop();
      // Discard a connection that can't roll back; the server rolls back when it notices.
      const isLost = await client.query('rollback').then(no, yes);
      client.release(isLost);
      throw error;
    }
  }

  let latest = 0;
  const clock = {
    // Never before the last step, which may have been answered faster than the one that `zero` is from.
    now: () => Math.max(latest, Math.floor(zero + performance.now())),
    heard(now: number): void {
      latest = now;
      const heard = now - performance.now();
      // Latency varies. Ignore small differences, so that time doesn't go backwards.
      if (Math.abs(heard - zero) > JITTER_MS) zero = heard;
    },
  };
  const stepper = createStepper({ pool, statements, task, clock });

  return {
    async write(work, committed) {
      try {
        const result = await run('write', work);
        committed?.(result);
        return result;
      } finally {
        stepper.forgetWorlds();
      }
    },
    read: (work) => run('read', work),
    step: (worldId, needs, decide, onCommit) => stepper.step(worldId, needs, decide, onCommit),
    close: () => pool.end(),
  };
}

/** `begin` is sent together with the first read. If it fails, so does the read, and the connection is closed. */
function beginRead(client: pg.PoolClient): void {
  process.nextTick(bufferQueries(client));
  client.query(BEGIN.read).catch(ignore);
}

const BEGIN = {
  // Read committed: a statement that waited for a row lock sees the committed version.
  write: 'begin isolation level read committed',
  // One snapshot for consistent reads.
  read: 'begin isolation level repeatable read read only',
};
const NOW = 'select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now';

/** Differences below this are latency, not clock drift. */
const JITTER_MS = 20;

/** Two statements in one query return two results, which the driver's types don't reflect. */
function momentOf(results: unknown): number {
  const second = (results as { rows: { now: number }[] }[])[1];
  const now = second?.rows[0]?.now;
  if (now === undefined) throw new Error('PostgreSQL returned no time.');
  return now;
}

function fail(cause: unknown): never {
  throw fromPostgres(cause);
}
function ignore(): void {}
function no(): boolean {
  return false;
}
function yes(): boolean {
  return true;
}
