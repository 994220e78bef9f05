import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '@countersign/core/ports';
import { checkReplay, describeSteps, type Play } from '@countersign/core/testing/step-contract';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { scaled } from '../../../../tests/support/scaled.js';
import { openSqlite } from './open.js';

describeSteps('SQLite in memory', async () => ({ store: await openSqlite(':memory:') }), { outlive: false });

describeSteps(
  'SQLite in a file',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'store.db');
    let store = await openSqlite(file, { synchronous: 'NORMAL' });
    return {
      store,
      async reopen() {
        await store.close();
        store = await openSqlite(file, { synchronous: 'NORMAL' });
        return store;
      },
    };
  },
  { outlive: true },
);

const play: fc.Arbitrary<Play> = fc.tuple(fc.nat(12), fc.nat(5), fc.nat(5));
const steps = fc.array(
  fc.record({
    plays: fc.array(play, { minLength: 1, maxLength: 6 }),
    fails: fc.integer({ max: 5, min: 0 }).map((n) => n === 0),
  }),
  { minLength: 1, maxLength: 15 },
);

it('[STORE1] [STORE3] [LIMIT1] after each random step, recovery after a kill gives the state in memory', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      const folder = mkdtempSync(join(tmpdir(), 'countersign-'));
      const file = join(folder, 'store.db');
      const options = { synchronous: 'NORMAL', clock: { now: () => 5_000 } } as const;
      const store = await openSqlite(file, options);
      const opened: Store[] = [store];
      const afterKill = async () => {
        const copy = join(folder, `${opened.length}.db`);
        for (const end of ['', '-wal', '-steps']) {
          if (existsSync(file + end)) copyFileSync(file + end, copy + end);
        }
        const next = await openSqlite(copy, options);
        opened.push(next);
        return next;
      };
      expect(await checkReplay(store, afterKill, script)).toMatchObject({ ok: true });
      for (const one of opened) await one.close();
      rmSync(folder, { recursive: true });
    }),
    { numRuns: scaled(40, 6) },
  );
});
