import type { Store } from '@countersign/core/ports';
import { openPostgres } from '@countersign/storage';
import { expect, it } from 'vitest';
import { createPostgresDatabase } from '../support/postgres-database.js';
import { checkInvariants } from '../../packages/countersign/src/testing/check-invariants.js';
import { change, death, settings, talk } from '../../packages/countersign/src/testing/lab-arbitraries.js';
import type { Ground } from '../../packages/countersign/src/testing/lab.js';
import { runsFactor } from '../support/scaled.js';

// Not a test: what it finds depends on how steps interleave in the database, so a seed doesn't reproduce it. A person
// has to review the findings; `npm run search` prints how they came about.

/** Event loop iterations without pending work, after which everything that needs no store is done. */
const QUIET = 5;
/** Here steps run concurrently on ten connections; SQLite serializes them. */
const FACTOR = Math.max(1, runsFactor);
const LIMIT_MS = 8_000 * FACTOR;

/** A separate database for each bench: a leftover turn must not keep another from settling. */
function postgresGround(): Ground {
  const underWay = new Set<Promise<unknown>>();
  const counted = async <T>(work: Promise<T>): Promise<T> => {
    underWay.add(work);
    return await work.finally(() => underWay.delete(work));
  };
  return {
    async open() {
      const store = await openPostgres(await createPostgresDatabase());
      const inOrder = createOrder();
      const watched: Store = {
        ...store,
        transact: (worldId, work) =>
          counted(
            store.transact(worldId, work).then(async (done) => {
              await inOrder(worldId, done.events);
              return done;
            }),
          ),
        read: (work) => counted(store.read(work)),
      };
      return watched;
    },
    close: (store) => store.close(),
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

/**
 * Two commits may be reported in a different order than they were committed. A process that shares its store
 * publishes events in log order; a process of the lab is alone, so its steps are ordered here.
 */
function createOrder(): (worldId: string, events: readonly { id: number }[]) => Promise<void> {
  const told = new Map<string, number>();
  const waiting = new Set<() => void>();
  return async (worldId, events) => {
    const first = events[0]?.id;
    const last = events.at(-1)?.id;
    if (first === undefined || last === undefined) return;
    if (!told.has(worldId)) told.set(worldId, first - 1);
    while ((told.get(worldId) ?? 0) < first - 1) await new Promise<void>((resolve) => waiting.add(resolve));
    told.set(worldId, last);
    const woken = [...waiting];
    waiting.clear();
    for (const wake of woken) wake();
  };
}

it(
  '[TURN4] [TURN5] [TURN6] [CALL8] [WORLD9] [STORE3] any order of answers, decisions, stops and crashes keeps the invariants on PostgreSQL too',
  async () => {
    // Deadlines use the database's clock, which no test can change.
    const worlds = settings.map(({ maxParallelTools, maxIterations }) => ({ maxParallelTools, maxIterations }));
    const size = { runs: 200 * FACTOR, longest: 12, limitMs: LIMIT_MS };
    const runs = await checkInvariants([...talk, ...change, ...death], size, postgresGround(), worlds);
    process.stdout.write(`${runs} interleavings on PostgreSQL\n`);
    expect(runs).toBeGreaterThan(0);
  },
  LIMIT_MS + 60_000,
);
