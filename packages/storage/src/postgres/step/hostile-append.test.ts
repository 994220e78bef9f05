import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { SERVER_LOG, type RowChange, type Store } from '@countersign/core/ports';
import { addChats, approval, C, plant, step, turn, W } from '@countersign/core/testing/step-contract';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { createPostgresDatabase } from '../../../../../tests/support/postgres-database.js';
import { nothing, openStepper, title } from '../../../../../tests/support/postgres-stepper.js';
import { startPostgres } from '../../../../../tests/support/postgres-server.js';
import { openPostgres } from '../open.js';
import { createChatCache } from './chat-cache.js';

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

it('[STORE4] a chat too large for the cache is still checked against writes of other processes', async () => {
  const store = await open('huge');
  await step(store, (tx) => tx.insertApproval(approval('approval_1')));
  const { stepper, beforeAppend } = openStepper(url, 'huge', { cache: createChatCache(9, 1) });
  beforeAppend(() => step(store, (tx) => tx.settleApproval('approval_1', DENIED)));
  const seen: number[] = [];
  await stepper.step(
    W,
    { chats: [C] },
    (reads) => {
      seen.push(reads.chat(C)?.approvals.size ?? 0);
      return { value: 1, writes: { ...nothing, records: [{ kind: 'stop' }] } };
    },
    undefined,
  );
  expect(seen).toEqual([1, 0]);
});

it('[SIGN1] a step is decided again if a person or group changes before it is written', async () => {
  const store = await open('people');
  const { stepper, beforeAppend } = openStepper(url, 'people');
  const put = (...people: string[]) =>
    store.transact(SERVER_LOG, async (tx) => {
      await tx.lockServerLog();
      await tx.putGroup({ name: 'finance', people, oidcGroup: null });
    });
  const seen: (readonly string[])[] = [];
  const decide = () =>
    stepper.step(
      W,
      { chats: [C], people: true },
      (reads) => {
        seen.push(reads.people().groups.flatMap(({ people }) => people));
        return { value: 1, writes: { ...nothing, records: [{ kind: 'stop' }] } };
      },
      undefined,
    );
  // The first change also creates the row whose version is compared.
  beforeAppend(() => put('ada'));
  await decide();
  beforeAppend(() => put('bob'));
  await decide();
  expect(seen).toEqual([[], ['ada'], ['ada'], ['bob']]);
});

it('[STORE1] a step that exceeds a database limit doesn’t fail the others in its group', async () => {
  const store = await open('limits');
  const chats = ['chat_a', 'chat_b', 'chat_c'];
  await addChats(store, ...chats);
  const { stepper } = openStepper(url, 'limits');
  await Promise.all(chats.map((id) => title(stepper, id, 'loaded')));
  // Longer than an index entry may be.
  const long: RowChange = { kind: 'turn-queued', turn: turn(randomBytes(6_000).toString('hex'), { chatId: 'chat_b' }) };
  const refused = stepper.step(
    W,
    { chats: ['chat_b'] },
    () => ({ value: 1, writes: { ...nothing, changes: [long] } }),
    undefined,
  );
  const others = ['chat_a', 'chat_c'].map((id) => title(stepper, id, 'kept'));
  await expect(refused).rejects.toThrow(/index/);
  await Promise.all(others);
});

it('[CALL11] waiting for a connection doesn’t make a step stale', async () => {
  await open('pool');
  const { stepper, sent, pool, clock } = openStepper(url, 'pool', { max: 1 });
  await title(stepper, C, 'loaded');
  const busy = await pool.connect();
  const before = sent.length;
  // As if the wait for the connection took a minute.
  clock.stopFor(60_000);
  const waiting = title(stepper, C, 'waited');
  await expect.poll(() => pool.waitingCount).toBe(1);
  clock.stopFor(-60_000);
  busy.release();
  await waiting;
  expect(sent.length - before).toBe(1);
});

it('[CALL11.1] a step in its own transaction uses the database’s clock too', async () => {
  await open('late');
  const { stepper, clock } = openStepper(url, 'late');
  const { value: before } = await title(stepper, C, 'in time');
  clock.stopFor(60_000);
  const accepted: RowChange = { kind: 'outcome-accepted', chatId: C, toolName: 'shell_cmd', arguments: '{}' };
  const { value: after } = await stepper.step(
    W,
    { chats: [C] },
    ({ now }) => ({ value: now, writes: { ...nothing, changes: [accepted] } }),
    undefined,
  );
  expect(after).toBeGreaterThanOrEqual(before);
});

it('[STORE4] no process mistakes transaction ids reused by a restored server for its own', async () => {
  const server = await startPostgres({ settings: { autovacuum: 'off' } });
  onTestFinished(() => server.stop());
  const store = await openPostgres(server.url, { maxConnections: 2 });
  onTestFinished(() => store.close());
  await plant(store);
  // Simulates a process that didn't notice: after a failover, its connections may stay open to the old server.
  const cache = { ...createChatCache(), clear: () => undefined };
  const [one, other] = [openStepper(server.url, 'countersign', { cache }), openStepper(server.url, 'countersign')];
  const row = async (): Promise<{ title: string; xmin: string } | undefined> =>
    (await other.pool.query<{ title: string; xmin: string }>('select title, xmin::text from chats')).rows[0];
  const restore = await server.backUp();
  for (const text of ['a', 'b', 'c', 'lost']) await title(one.stepper, C, text);
  const lost = (await row())?.xmin;
  await restore();
  for (let tries = 0; tries < 50 && (await row())?.xmin !== lost; tries += 1) await title(other.stepper, C, 'after');
  expect(await row()).toEqual({ title: 'after', xmin: lost });
  const before = one.sent.length;
  await title(one.stepper, C, 'on old state');
  expect(one.sent.slice(before).map((text) => text.slice(0, 12))).toEqual([
    'select appen',
    'select floor',
    'select appen',
  ]);
});

it('[STORE4] decides nothing on cached state after a lost connection, because commits may be lost', async () => {
  const store = await open('cut');
  await addChats(store, 'chat_cut');
  const { stepper, pool, sent } = openStepper(url, 'cut', { max: 1 });
  await title(stepper, 'chat_cut', 'known');
  const cut = once(pool, 'error');
  const admin = openStepper(url, 'cut').pool;
  await pool.query(`set application_name = 'to be cut'`);
  await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'to be cut'`);
  await cut;
  sent.length = 0;
  await title(stepper, 'chat_cut', 'after');
  expect(sent.map((text) => text.slice(0, 12))).toEqual(['select floor', 'select appen']);
});

const DENIED = {
  status: 'denied',
  decision: 'deny',
  scope: null,
  reason: null,
  decisionDigest: null,
  decidedBy: 'ann',
} as const;
