import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkReplay, describeSteps, type Play } from '@countersign/core/testing/step-contract';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { scaled } from '../../../../tests/support/scaled.js';
import { keepHeadsInMemory } from '../audit/head-keeper.js';
import { createStore } from '../create-store.js';
import { sqliteEngine } from './engine.js';
import { openDatabase } from './open-database.js';
import { openSqlite } from './open-sqlite.js';
import { sqliteStatements } from './statements.js';

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

it('[S1] [N1] random steps leave in memory what a store that was just opened loads', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      const db = openDatabase(':memory:', 'NORMAL');
      const open = () =>
        createStore(sqliteEngine(db, 'store.db', sqliteStatements, { now: () => 5_000 }), keepHeadsInMemory);
      expect(await checkReplay(await open(), open, script)).toMatchObject({ ok: true });
      db.close();
    }),
    { numRuns: scaled(200) },
  );
});
