import type { Store } from '@countersign/core/ports';
import { openPostgres } from '@countersign/storage';
import { expect, it, onTestFinished } from 'vitest';
import { createPostgresDatabase } from '../support/postgres-database.js';
import { hold } from '../../packages/countersign/src/testing/hold-promises.js';
import { change, death, settings, talk } from '../../packages/countersign/src/testing/lab-arbitraries.js';
import type { Ground } from '../../packages/countersign/src/testing/lab.js';

// Not among the tests: the lab can't see a wake-up or an event that is on its way through the database, so it may give up on, or judge, a
// world that is not at rest yet. What it finds has to be looked at by a person; `npm run search` says how it came about.

/** So many turns of the event loop without anything under way: what is still to be done without the store is done by then. */
const QUIET = 5;
/** Where steps really meet: on SQLite one waits for the other, here they take turns over ten connections. */
const LIMIT_MS = 8_000 * Math.max(1, Number(process.env['RUNS_FACTOR'] ?? 1));

async function postgresGround(): Promise<Ground> {
  const store = await openPostgres(await createPostgresDatabase());
  onTestFinished(() => store.close());
  const underWay = new Set<Promise<unknown>>();
  const counted = async <T>(work: Promise<T>): Promise<T> => {
    underWay.add(work);
    return await work.finally(() => underWay.delete(work));
  };
  const watched: Store = {
    ...store,
    transact: (worldId, work) => counted(store.transact(worldId, work)),
    read: (work) => counted(store.read(work)),
  };
  return {
    open: () => Promise.resolve(watched),
    close: () => Promise.resolve(),
    async settle() {
      for (let quiet = 0; quiet < QUIET; quiet += 1) {
        if (underWay.size > 0) quiet = 0;
        await Promise.allSettled(underWay);
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
      }
    },
  };
}

it(
  '[T4] [T5] [T6] [A8] [M9] [S3] any order of answers, decisions, stops and deaths keeps its promises on PostgreSQL too',
  async () => {
    // Deadlines are judged by the database's clock, which no test can turn.
    const worlds = settings.map(({ maxParallelTools, maxIterations }) => ({ maxParallelTools, maxIterations }));
    const size = { runs: 200, longest: 12, limitMs: LIMIT_MS };
    const runs = await hold([...talk, ...change, ...death], size, await postgresGround(), worlds);
    process.stdout.write(`${runs} interleavings on PostgreSQL\n`);
    expect(runs).toBeGreaterThan(0);
  },
  LIMIT_MS + 60_000,
);
