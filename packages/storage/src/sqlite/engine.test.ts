import { worldSettingsSchema } from '@countersign/protocol';
import { expect, it } from 'vitest';
import { keepHeadsInMemory } from '../audit/head-keeper.js';
import { createStore } from '../create-store.js';
import { sqliteEngine } from './engine.js';
import { openDatabase } from './file/open-database.js';
import { sqliteStatements } from './statements.js';
import { memoryLog } from './log/step-log.js';

it('[STORE7] a full disk is reported without a partial write, and work continues when there is space', async () => {
  const db = openDatabase(':memory:', 'FULL');
  const store = await createStore(sqliteEngine(db, 'store.db', sqliteStatements, Date, memoryLog()), keepHeadsInMemory);
  const settings = worldSettingsSchema.parse({});
  await store.transact('w', (tx) => tx.insertWorld({ id: 'w', name: 'W', settings, policy: [] }));
  const { page_count: pages } = db.prepare('pragma page_count').get() as { page_count: number };
  const grow = () =>
    store.transact('w', async (tx) => {
      await tx.updateWorld('w', { name: 'changed' });
      await tx.updateWorld('w', { policy: ['deny *'.repeat(100_000)] });
    });

  db.exec(`pragma max_page_count = ${pages}`);
  await expect(grow()).rejects.toMatchObject({
    code: 'store-unavailable',
    message: expect.stringContaining('disk is full') as string,
  });
  expect(await store.read((r) => r.world('w'))).toMatchObject({ name: 'W', policy: [], rev: 1 });

  db.exec('pragma max_page_count = 100000');
  await grow();
  expect(await store.read((r) => r.world('w'))).toMatchObject({ name: 'changed', rev: 3 });
  await store.close();
});

it('a failing step doesn’t block the next one, and each gets its own error', async () => {
  const db = openDatabase(':memory:', 'FULL');
  const store = await createStore(sqliteEngine(db, 'store.db', sqliteStatements, Date, memoryLog()), keepHeadsInMemory);
  const outcomes = await Promise.allSettled(
    [1, 2, 3].map((index) =>
      store.transact('w', async () => {
        if (index === 2) throw new Error('two');
        return index;
      }),
    ),
  );
  expect(outcomes).toMatchObject([{ value: { value: 1 } }, { reason: { message: 'two' } }, { value: { value: 3 } }]);
  await store.close();
});
