import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '@countersign/core/ports';
import { message, plant, stateOf, step } from '@countersign/core/testing/step-contract';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { keepHeadsInMemory } from '../audit/head-keeper.js';
import { createStore } from '../create-store.js';
import { sqliteEngine } from './engine.js';
import { openDatabase } from './open-database.js';
import { sqliteStatements } from './statements.js';

let folder: string;
let db: DatabaseSyncInstance;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-'));
  await open();
  await plant(store);
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

it('[S1] steps of one turn of the event loop share a transaction, and none resolves before its commit', async () => {
  const done: string[] = [];
  const both = ['msg_1', 'msg_2'].map(async (id) => {
    const said = await say(id);
    expect(db.isTransaction).toBe(false);
    done.push(id);
    return said.seq;
  });
  const looking = stateOf(store).then((state) => {
    done.push('look');
    return state?.chat.lastSeq;
  });
  // As often as promises may want to be looked at, but not one turn of the event loop.
  for (let round = 0; round < 100; round += 1) await Promise.resolve();
  expect(db.isTransaction).toBe(true);
  expect(done).toEqual([]);
  expect(await Promise.all(both)).toEqual([1, 2]);
  expect(await looking).toBe(2);
  expect(done).toEqual(['msg_1', 'msg_2', 'look']);
});

it('[S1] a step that only reads waits for nothing if nothing was written', async () => {
  const state = stateOf(store);
  expect(db.isTransaction).toBe(false);
  expect(await state).toMatchObject({ chat: { lastSeq: 0 } });
});

it('[S1] a read that sees what is not committed yet is answered after the commit, or fails with it', async () => {
  const said = say('msg_1');
  let isAnswered = false;
  const seen = store
    .read((r) => r.message('msg_1'))
    .finally(() => {
      isAnswered = true;
    });
  for (let round = 0; round < 100; round += 1) await Promise.resolve();
  expect([db.isTransaction, isAnswered]).toEqual([true, false]);
  expect((await seen)?.id).toBe('msg_1');
  expect(db.isTransaction).toBe(false);
  await said;
  const lost = Promise.allSettled([say('msg_2'), store.read((r) => r.message('msg_2'))]);
  for (let round = 0; round < 100; round += 1) await Promise.resolve();
  db.exec('rollback');
  expect((await lost).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await store.read((r) => r.message('msg_2'))).toBeUndefined();
});

it('[S1] a read and a transaction see what was written before them', async () => {
  const first = say('msg_1');
  const seen = store.read((r) => r.message('msg_1'));
  const second = say('msg_2');
  const chat = store.transact('garden', (tx) => tx.chat('chat_1'));
  const third = say('msg_3');
  expect((await seen)?.seq).toBe(1);
  expect((await chat).value?.lastSeq).toBe(2);
  expect([(await first).seq, (await second).seq, (await third).seq]).toEqual([1, 2, 3]);
});

it('[S1] a write that the database refuses fails alone: steps of other chats in its group are kept', async () => {
  await say('msg_1');
  db.exec(`create trigger poison before insert on messages when new.content = 'poison'
    begin select raise(abort, 'poisoned'); end`);
  const group = await Promise.allSettled([
    say('msg_2'),
    stateOf(store),
    say('msg_3', 'poison'),
    say('msg_4'),
    store.read((r) => r.chat('chat_1')),
  ]);
  expect(group.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  expect(group[2]).toMatchObject({ reason: { message: expect.stringContaining('poisoned') as string } });
  // It came after the failure, in the same group, and on the state before it.
  expect(group[3]).toMatchObject({ value: { seq: 3 } });
  await reopen();
  const said = await store.read((r) => r.messages('chat_1', { after: 0, limit: 9 }));
  expect(said.map(({ id }) => id)).toEqual(['msg_1', 'msg_2', 'msg_4']);
  expect(await store.verifyAudit('garden')).toMatchObject({ ok: true, records: 3 });
});

it('[S7] a full disk fails the group with an explanation, and steps succeed when there is room', async () => {
  const { page_count: pages } = db.prepare('pragma page_count').get() as { page_count: number };
  db.exec(`pragma max_page_count = ${pages}`);
  const group = await Promise.allSettled([say('msg_1'), say('msg_2', 'x'.repeat(500_000))]);
  const full = { reason: { code: 'store-unavailable', message: expect.stringContaining('no room') as string } };
  expect(group).toMatchObject([full, full]);
  db.exec('pragma max_page_count = 100000');
  expect((await say('msg_3')).seq).toBe(1);
  await reopen();
  expect(await stateOf(store)).toMatchObject({ chat: { lastSeq: 1 } });
});

it('[S1] a commit that fails fails every step, and the next ones start from what is there', async () => {
  const group = Promise.allSettled([say('msg_1'), say('msg_2')]);
  db.exec('rollback');
  expect((await group).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect((await say('msg_3')).seq).toBe(1);
});

it('[S1] a read that is still under way when its group is lost gives nothing of it', async () => {
  const said = say('msg_1');
  const reading = store.read(async (r) => {
    const seen = await r.message('msg_1');
    db.exec('rollback');
    await said.catch(() => undefined);
    return seen;
  });
  await expect(reading).rejects.toThrow('commit');
  await expect(said).rejects.toThrow('commit');
});

it('what is closed has committed', async () => {
  const said = say('msg_1');
  await reopen();
  expect((await said).seq).toBe(1);
  expect(await store.read((r) => r.message('msg_1'))).toBeDefined();
});

function say(id: string, content = 'words') {
  return step(store, (tx) => {
    tx.record({ kind: 'run', who: id });
    return tx.appendMessage(message(id, { content }));
  });
}

async function open(): Promise<void> {
  db = openDatabase(join(folder, 'store.db'), 'NORMAL');
  store = await createStore(sqliteEngine(db, 'store.db', sqliteStatements, Date), keepHeadsInMemory);
}

async function reopen(): Promise<void> {
  await store.close();
  await open();
}
