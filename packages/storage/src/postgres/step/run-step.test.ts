import type { RowChange, Store } from '@countersign/core/ports';
import { EMPTY_CHAT } from '@countersign/core/testing';
import { A, addChats, approval, C, checkReplay, plant, W, type Play } from '@countersign/core/testing/step-contract';
import { worldSettingsSchema } from '@countersign/protocol';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPostgresDatabase } from '../../../../../tests/support/postgres-database.js';
import { scaled } from '../../../../../tests/support/scaled.js';
import { openPostgres } from '../open.js';
import { JOBS_SCHEMA } from '../wake-jobs.js';

let url = '';
let admin: pg.Client;
beforeAll(async () => {
  url = await createPostgresDatabase();
  admin = new pg.Client({ connectionString: url });
  await admin.connect();
});
afterAll(() => admin.end());

const nothing = { changes: [] as RowChange[], emissions: [], records: [], wakes: [] as string[] };

it('[STORE4.1] [STORE1.1] a step queues one job per turn, and none if it fails', async () => {
  const store = await openPostgres(url, { schema: 'waking', maxConnections: 2 });
  const settings = worldSettingsSchema.parse({});
  await store.transact('w', (tx) => tx.insertWorld({ id: 'w', name: 'W', settings, policy: [] }));
  const wake = (wakes: string[], changes: RowChange[] = []) =>
    store.step('w', { chats: [] }, () => ({ value: 1, writes: { ...nothing, changes, wakes } }));
  const chat = {
    id: 'c',
    worldId: 'w',
    title: 'C',
    titled: true,
    ...EMPTY_CHAT,
  } as const;
  const created: RowChange = { kind: 'chat-created', chat: { ...chat, createdAt: 1 } };
  await wake(['turn_1', 'turn_2', 'turn_1'], [created]);
  await wake(['turn_3']);
  await expect(wake(['turn_4'], [created])).rejects.toMatchObject({ code: 'conflict' });
  const { rows } = await admin.query<{ key: string }>(`select key from ${JOBS_SCHEMA}.jobs order by key`);
  expect(rows.map(({ key }) => key)).toEqual(['turn_1', 'turn_2', 'turn_3']);
  await store.close();
});

it('[STORE1] releases the connection after a step that reads, throws or is rejected', async () => {
  const store = await openPostgres(url, { schema: 'one', maxConnections: 1 });
  const settings = worldSettingsSchema.parse({});
  await store.transact('w', (tx) => tx.insertWorld({ id: 'w', name: 'W', settings, policy: [] }));
  const unwritable = { kind: 'chat-changed', chatId: 'c', change: { title: 1n as unknown as string } } as const;
  for (let round = 0; round < 3; round += 1) {
    await store.step('w', { chats: ['c'] }, () => ({ value: 1, writes: nothing }));
    const throwing = store.step('w', { chats: ['c'] }, () => {
      throw new Error('no');
    });
    await expect(throwing).rejects.toThrow('no');
    const refused = store.step('w', { chats: ['c'] }, () => ({
      value: 1,
      writes: { ...nothing, changes: [unwritable] },
    }));
    await expect(refused).rejects.toMatchObject({ code: 'invalid', field: 'title' });
  }
  const { rows } = await admin.query(
    `select 1 from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`,
  );
  expect(rows).toEqual([]);
  await store.close();
});

it('[CALL19] of two concurrent steps that would reach the approval limit, one succeeds', async () => {
  const [one, two] = await Promise.all([1, 2].map(() => openPostgres(url, { schema: 'limited', maxConnections: 2 })));
  if (one === undefined || two === undefined) throw new Error('no store');
  await plant(one);
  await addChats(one, 'chat_2');
  const decided: string[] = [];
  const ask = (store: Store, chatId: string) =>
    store.step(W, { chats: [chatId], pendingOf: A }, (reads) => {
      const value = reads.pendingOf(A).length === 0;
      decided.push(chatId);
      const changes: RowChange[] = [
        { kind: 'approval-requested', approval: approval(`approval of ${chatId}`, { chatId }) },
      ];
      return { value, writes: value ? { ...nothing, changes, limit: { agentId: A, mostPending: 1 } } : nothing };
    });
  // Both steps wait for the world's row, which a step locks last.
  await admin.query('begin');
  await admin.query('select 1 from limited.worlds for update');
  const asking = Promise.all([ask(one, C), ask(two, 'chat_2')]);
  const waiting = `select count(*)::int as waiting from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  const onlooker = new pg.Client({ connectionString: url });
  await onlooker.connect();
  await expect.poll(async () => (await onlooker.query<{ waiting: number }>(waiting)).rows).toEqual([{ waiting: 2 }]);
  await onlooker.end();
  await admin.query('commit');
  expect((await asking).filter(({ value }) => value)).toHaveLength(1);
  expect(decided).toHaveLength(3);
  expect(await one.read((r) => r.approvals(W, { status: 'pending' }))).toHaveLength(1);
  await Promise.all([one.close(), two.close()]);
});

const play: fc.Arbitrary<Play> = fc.tuple(fc.nat(12), fc.nat(5), fc.nat(5));
const steps = fc.array(
  fc.record({
    plays: fc.array(play, { minLength: 1, maxLength: 8 }),
    fails: fc.integer({ max: 5, min: 0 }).map((n) => n === 0),
  }),
  { minLength: 1, maxLength: 10 },
);

it('[STORE1] after random steps, the state in memory equals what another process loads', async () => {
  const open = (): Promise<Store> => openPostgres(url, { schema: 'random', maxConnections: 2 });
  const other = await open();
  const loading: Store = {
    ...other,
    step: (worldId, needs, decide) => other.step(worldId, { ...needs, recent: false }, decide),
  };
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      const store = await open();
      try {
        await emptySchema('random');
        expect(await checkReplay(store, async () => loading, script)).toMatchObject({ ok: true });
      } finally {
        await store.close();
      }
    }),
    // Shrinking would exceed the timeout.
    { numRuns: scaled(60, 8), endOnFailure: true },
  );
  await other.close();
});

async function emptySchema(schema: string): Promise<void> {
  const { rows } = await admin.query<{ name: string }>(
    `select quote_ident(schemaname) || '.' || tablename as name from pg_tables where schemaname = $1 and tablename <> 'meta'`,
    [schema],
  );
  await admin.query(`truncate ${rows.map(({ name }) => name).join()} restart identity`);
}
