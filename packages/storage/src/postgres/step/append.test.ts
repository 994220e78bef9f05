import type { RowChange, Store, StoredEvent } from '@countersign/core/ports';
import { addChats, C, plant, W } from '@countersign/core/testing/step-contract';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { createPostgresDatabase } from '../../../../../tests/support/postgres-database.js';
import { nothing, openStepper, title } from '../../../../../tests/support/postgres-stepper.js';
import { openPostgres } from '../open.js';

let url = '';
beforeAll(async () => {
  url = await createPostgresDatabase();
});

async function open(schema: string): Promise<Store> {
  const store = await openPostgres(url, { schema, maxConnections: 2 });
  onTestFinished(() => store.close());
  await plant(store);
  return store;
}

it('[STORE1] a step in a cached chat takes one statement, and three if another process was faster', async () => {
  await open('statements');
  const { stepper, sent, pool } = openStepper(url, 'statements');
  await title(stepper, C, 'first');
  const before = sent.length;
  for (const text of ['a', 'b', 'c']) await title(stepper, C, text);
  expect(sent.slice(before).map((text) => text.slice(0, 19))).toEqual(Array(3).fill('select append_steps'));
  // Neither option changes the last writer.
  await pool.query('vacuum (full, freeze) chats');
  await title(stepper, C, 'frozen');
  expect(sent.at(-1)).toMatch('select append_steps');
  expect(sent.at(-2)).toMatch('vacuum');
  await pool.query(`update chats set status = 'waiting'`);
  const changed = sent.length;
  await title(stepper, C, 'd');
  expect(sent.slice(changed).map((text) => text.slice(0, 12))).toEqual([
    'select appen',
    'select floor',
    'select appen',
  ]);
  expect((await pool.query('select title, status from chats')).rows).toEqual([{ title: 'd', status: 'waiting' }]);
});

it('[CALL13] reloads a client only if it changed elsewhere', async () => {
  const store = await open('clients');
  const client = { worldId: W, label: 'web', secretHash: '', tools: [], leftAt: null, connectedTo: '', createdAt: 1 };
  const { stepper, sent } = openStepper(url, 'clients');
  const sign = async (): Promise<unknown[]> => {
    const before = sent.length;
    const { value } = await stepper.step(
      W,
      { chats: [C], clients: ['client_1'] },
      (reads) => ({
        value: reads.client('client_1')?.approvals,
        writes: { ...nothing, records: [{ kind: 'decision' }] },
      }),
      undefined,
    );
    return [value, sent.length - before];
  };
  expect(await sign()).toEqual([undefined, 2]);
  expect(await sign()).toEqual([undefined, 1]);
  await store.transact(W, (tx) => tx.insertClient({ ...client, id: 'client_1', approvals: false }));
  expect(await sign()).toEqual([false, 3]);
  expect(await sign()).toEqual([false, 1]);
  await store.transact(W, (tx) => tx.deleteClient('client_1'));
  expect(await sign()).toEqual([undefined, 3]);
});

it('[STORE1] concurrent steps of one world share a commit, and are published in order', async () => {
  const store = await open('together');
  const chats = Array.from({ length: 16 }, (_, index) => `chat_${index}_`);
  await addChats(store, ...chats);
  const told: number[] = [];
  const tell = (events: StoredEvent[]): void => void told.push(...events.map(({ id }) => id));
  const { stepper, pool } = openStepper(url, 'together');
  await Promise.all(chats.map((id) => title(stepper, id, 'loaded', tell)));
  await Promise.all(chats.map((id) => title(stepper, id, id, tell)));
  const { rows } = await pool.query(`select xmin::text from chats where id <> '${C}' group by 1`);
  expect(rows).toHaveLength(1);
  expect(told).toEqual(Array.from({ length: 32 }, (_, index) => index + 1));
  expect(await store.verifyAudit(W)).toMatchObject({ ok: true, records: 32 });
});

it('[STORE1] a step that the database rejects doesn’t fail the others in its group', async () => {
  const store = await open('refused');
  const chats = ['chat_a', 'chat_b', 'chat_c', 'chat_d'];
  await addChats(store, ...chats);
  const { stepper } = openStepper(url, 'refused');
  await Promise.all(chats.map((id) => title(stepper, id, 'loaded')));
  const taken: RowChange = {
    kind: 'chat-created',
    chat: { ...((await store.read((r) => r.chat(C))) ?? never()), id: C },
  };
  const refused = stepper.step(
    W,
    { chats: ['chat_b'] },
    () => ({ value: 1, writes: { changes: [taken], emissions: [], records: [], wakes: [] } }),
    undefined,
  );
  const others = ['chat_a', 'chat_c', 'chat_d'].map((id) => title(stepper, id, 'kept'));
  await expect(refused).rejects.toMatchObject({ code: 'conflict' });
  await Promise.all(others);
  const titles = (await store.read((r) => r.chats(W))).filter(({ id }) => chats.includes(id)).map((chat) => chat.title);
  expect(titles).toEqual(['kept', 'loaded', 'kept', 'kept']);
  expect(await store.verifyAudit(W)).toMatchObject({ ok: true, records: 7 });
});

it('[CALL11.1] a step decided with a stopped clock is retried with the database’s time', async () => {
  await open('clocks');
  const { stepper, clock } = openStepper(url, 'clocks');
  const { value: before } = await title(stepper, C, 'in time');
  clock.stopFor(60_000);
  const { value: after } = await title(stepper, C, 'late');
  expect(after).toBeGreaterThanOrEqual(before);
});

function never(): never {
  throw new Error('the chat does not exist');
}
