import type { RowChange, Store } from '@countersign/core/ports';
import { addChats, C, chat, grant, message, plant, step, turn, W } from '@countersign/core/testing/step-contract';
import { CountersignError } from '@countersign/protocol';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createPostgresDatabase } from '../../../../../tests/support/postgres-database.js';
import { nothing, openStepper, title } from '../../../../../tests/support/postgres-stepper.js';
import { openPostgres } from '../open.js';

let url = '';
let admin: pg.Client;
beforeAll(async () => {
  url = await createPostgresDatabase();
  admin = new pg.Client({ connectionString: url });
  await admin.connect();
});
afterAll(() => admin.end());

async function open(schema: string): Promise<Store> {
  const store = await openPostgres(url, { schema, maxConnections: 2 });
  onTestFinished(() => store.close());
  await plant(store);
  return store;
}

it('[CALL14] revoking a grant while a call uses it: both succeed', async () => {
  const store = await open('revoked');
  await step(store, (tx) => {
    tx.giveGrant(grant('grant_1'), '');
    tx.insertTurn(turn('turn_1'));
  });
  const { stepper } = openStepper(url, 'revoked');
  await title(stepper, C, 'loaded');
  const changes: RowChange[] = [
    { kind: 'turn-changed', chatId: C, turnId: 'turn_1', change: { iteration: 1 } },
    { kind: 'grant-used', chatId: C, grantId: 'grant_1', at: 2_000 },
  ];
  // The step has locked the world and is blocked.
  const holder = await connect('revoked');
  await holder.query('begin');
  await holder.query('select 1 from turns for update');
  const using = stepper.step(W, { chats: [C] }, () => ({ value: 1, writes: { ...nothing, changes } }), undefined);
  await untilWaiting(1);
  const revoking = store.transact(W, (tx) => tx.revokeGrant(W, 'grant_1'));
  await untilWaiting(2);
  await holder.query('commit');
  await using;
  expect(await revoking).toMatchObject({ value: true });
});

it('[CALL14] deleting a chat while one of its grants is revoked: both succeed', async () => {
  const store = await open('deleted');
  await step(store, (tx) => {
    tx.giveGrant(grant('grant_1'), '');
    tx.insertTurn(turn('turn_1'));
  });
  // Blocks the deletion after it has locked the world and deleted the turns, and before it deletes the grants.
  const holder = await connect('deleted');
  await holder.query('begin');
  await holder.query('lock table events in share mode');
  const deleting = step(store, (tx) => {
    tx.deleteChat(C);
    tx.record({ kind: 'stop' });
  });
  await untilWaiting(1);
  const revoking = store.transact(W, (tx) => tx.revokeGrant(W, 'grant_1'));
  await untilWaiting(2);
  await holder.query('commit');
  await deleting;
  expect(await revoking).toMatchObject({ value: false });
});

it('[CALL14] steps of several chats that are sent together all see a rule written in the meantime', async () => {
  const store = await open('ruled');
  const chats = ['chat_a', 'chat_b', 'chat_c'];
  await addChats(store, ...chats);
  const { stepper, beforeAppend } = openStepper(url, 'ruled');
  await Promise.all(chats.map((id) => title(stepper, id, 'loaded')));
  const before = (await store.read((r) => r.worldRev(W))) ?? 0;
  beforeAppend(() => store.transact(W, (tx) => tx.updateWorld(W, { policy: ['deny *'] })));
  const revs = await Promise.all(
    chats.map((chatId) =>
      stepper.step(
        W,
        { chats: [chatId] },
        ({ worldRev }) => ({ value: worldRev, writes: { ...nothing, records: [{ kind: 'run' }] } }),
        undefined,
      ),
    ),
  );
  expect(revs.map(({ value }) => value)).toEqual(chats.map(() => before + 1));
});

it('[STORE4] two processes that write, delete and create the same chats leave nothing incomplete', async () => {
  const stores = [await open('storm'), await openPostgres(url, { schema: 'storm', maxConnections: 4 })] as const;
  onTestFinished(() => stores[1].close());
  const chats = Array.from({ length: 6 }, (_, index) => `chat_${index}_`);
  const refusals = new Set<unknown>();
  const one = async (nth: number): Promise<void> => {
    const store = stores[nth % 2] as Store;
    const chatId = chats[nth % chats.length] as string;
    await step(
      store,
      (tx) => {
        if (tx.chat(chatId) === undefined) tx.createChat(chat(chatId));
        else if (nth % 5 === 0) tx.deleteChat(chatId);
        else {
          tx.emit({ event: 'message', chatId, message: tx.appendMessage(message(`msg_${nth}`, { chatId })) });
          tx.giveGrant(grant(`grant_${nth}`, { chatId }), '');
        }
        tx.record({ kind: 'run' });
        if (nth % 7 === 0) tx.setPolicy([`allow tool_${nth}`]);
      },
      { chats: [chatId] },
    );
  };
  const count = 120;
  await Promise.all(
    Array.from({ length: count }, (_, nth) =>
      one(nth).catch((error: unknown) => refusals.add(error instanceof CountersignError ? error.code : error)),
    ),
  );
  const orphans = ['messages', 'grants', 'events'].map(
    (table) => `select '${table}' as what, chat_id from storm.${table} t
      where chat_id is not null and not exists (select 1 from storm.chats c where c.id = t.chat_id)`,
  );
  expect((await admin.query(orphans.join(' union all '))).rows).toEqual([]);
  expect(await stores[0].verifyAudit(W)).toMatchObject({ ok: true });
  // Both processes may create the same chat; the slower one gets a conflict.
  refusals.delete('conflict');
  expect(refusals).toEqual(new Set());
});

it('[STORE1] rejects writes in a world that is being deleted', async () => {
  const store = await open('gone');
  const other = await openPostgres(url, { schema: 'gone', maxConnections: 2 });
  onTestFinished(() => other.close());
  const late = store.transact(W, async (tx) => {
    expect(await tx.world(W)).toBeDefined();
    await step(other, (now) => now.deleteWorld());
    const definition = { transport: 'stdio', command: 'x', args: [], env: { KEY: 'secret' } } as never;
    await tx.insertMcpServer({
      worldId: W,
      name: 'late',
      definition,
      sealed: null,
      signIn: null,
      firstListedAt: null,
      createdAt: 1,
    });
    tx.emit({ event: 'crud', chatId: null, data: { operation: 'create', entity: 'mcp-server', id: 'late' } });
  });
  await expect(late).rejects.toMatchObject({ code: 'not-found' });
  expect(await store.read((r) => r.mcpServers(W))).toEqual([]);
});

async function connect(schema: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, options: `-c search_path=${schema}` });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

async function untilWaiting(count: number): Promise<void> {
  const waiting = async (): Promise<unknown> => (await admin.query(WAITING)).rows;
  await expect.poll(waiting, { interval: 10 }).toEqual([{ waiting: count }]);
}

const WAITING = `select count(*)::int as waiting from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`;
