import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChatRecord, Store } from '@countersign/core/ports';
import { CountersignError } from '@countersign/protocol';
import { message, plant, stateOf, step } from '@countersign/core/testing/step-contract';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { keepHeadsInMemory } from '../../audit/head-keeper.js';
import { createStore } from '../../create-store.js';
import { sqliteEngine } from '../engine.js';
import type { Entry } from '../log/entry.js';
import { openDatabase } from '../file/open-database.js';
import { sqliteStatements } from '../statements.js';
import { fileLog, logFileOf, type StepLog } from '../log/step-log.js';
import { markOf } from '../log/mark.js';

let folder: string;
let db: DatabaseSyncInstance;
let store: Store;
let log: StepLog;
let isFull: boolean;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-'));
  await open();
  await plant(store);
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

it('[STORE1] steps of one event loop turn share one write, and none resolves before it', async () => {
  const done: string[] = [];
  const before = log.size;
  const both = ['msg_1', 'msg_2'].map(async (id) => {
    const said = await say(id);
    expect(log.size).toBeGreaterThan(before);
    done.push(id);
    return said.seq;
  });
  const looking = stateOf(store).then((state) => {
    done.push('look');
    return state?.chat.lastSeq;
  });
  // Many microtasks, but not one turn of the event loop.
  for (let round = 0; round < 100; round += 1) await Promise.resolve();
  expect([log.size, done]).toEqual([before, []]);
  expect(await Promise.all(both)).toEqual([1, 2]);
  expect(await looking).toBe(2);
  expect(done).toEqual(['msg_1', 'msg_2', 'look']);
});

it('[STORE1] a step that only reads doesn’t wait if nothing was written', async () => {
  const state = stateOf(store);
  expect(await state).toMatchObject({ chat: { lastSeq: 0 } });
});

it('[STORE1] a read that sees uncommitted writes resolves after the commit, or fails with it', async () => {
  const before = log.size;
  const said = say('msg_1');
  let isAnswered = false;
  const seen = store
    .read((r) => r.message('msg_1'))
    .finally(() => {
      isAnswered = true;
    });
  for (let round = 0; round < 100; round += 1) await Promise.resolve();
  expect([log.size, isAnswered]).toEqual([before, false]);
  expect((await seen)?.id).toBe('msg_1');
  expect(log.size).toBeGreaterThan(before);
  await said;
  isFull = true;
  const lost = Promise.allSettled([say('msg_2'), store.read((r) => r.message('msg_2'))]);
  expect((await lost).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isFull = false;
  expect(await store.read((r) => r.message('msg_2'))).toBeUndefined();
});

it('[STORE1] a read and a transaction see earlier writes', async () => {
  const first = say('msg_1');
  const seen = store.read((r) => r.message('msg_1'));
  const second = say('msg_2');
  const chat = store.transact('garden', (tx) => tx.chat('chat_1'));
  const third = say('msg_3');
  expect((await seen)?.seq).toBe(1);
  expect((await chat).value?.lastSeq).toBe(2);
  expect([(await first).seq, (await second).seq, (await third).seq]).toEqual([1, 2, 3]);
});

it('[STORE1] only the rejected write fails: steps of other chats in its group succeed', async () => {
  await say('msg_1');
  const taken = { ...(await stateOf(store))?.chat } as ChatRecord;
  const group = await Promise.allSettled([
    say('msg_2'),
    stateOf(store),
    step(store, (tx) => {
      tx.appendMessage(message('msg_3'));
      tx.createChat(taken);
    }),
    say('msg_4'),
    store.read((r) => r.chat('chat_1')),
  ]);
  expect(group.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  expect(group[2]).toMatchObject({ reason: { code: 'conflict' } });
  // This step ran after the failed one in the same group, and saw the state before it.
  expect(group[3]).toMatchObject({ value: { seq: 3 } });
  await reopen();
  const said = await store.read((r) => r.messages('chat_1', { after: 0, limit: 9 }));
  expect(said.map(({ id }) => id)).toEqual(['msg_1', 'msg_2', 'msg_4']);
  expect(await store.verifyAudit('garden')).toMatchObject({ ok: true, records: 3 });
});

it('[STORE7] a full disk fails the group with a message, and steps succeed when there is space', async () => {
  await say('msg_1');
  isFull = true;
  const seen = store.read((r) => r.message('msg_2'));
  const group = await Promise.allSettled([say('msg_2'), say('msg_3'), stateOf(store), seen]);
  const full = { reason: { code: 'store-unavailable', message: expect.stringContaining('disk is full') as string } };
  expect(group.slice(0, 3)).toMatchObject([full, full, full]);
  isFull = false;
  expect(await store.read((r) => r.message('msg_2'))).toBeUndefined();
  expect((await say('msg_4')).seq).toBe(2);
  await reopen();
  expect(await stateOf(store)).toMatchObject({ chat: { lastSeq: 2 } });
  expect(await store.verifyAudit('garden')).toMatchObject({ ok: true, records: 2 });
});

it('[STORE7] if the disk is too full for the tables, nothing is lost: steps continue, and reads work again when there is space', async () => {
  const { page_count: pages } = db.prepare('pragma page_count').get() as { page_count: number };
  db.exec(`pragma max_page_count = ${pages}`);
  expect((await say('msg_1')).seq).toBe(1);
  expect((await say('msg_2', 'x'.repeat(500_000))).seq).toBe(2);
  await expect(store.read((r) => r.message('msg_1'))).rejects.toMatchObject({
    code: 'store-unavailable',
    message: expect.stringContaining('disk is full') as string,
  });
  expect((await say('msg_3')).seq).toBe(3);
  db.exec('pragma max_page_count = 100000');
  const said = await store.read((r) => r.messages('chat_1', { after: 0, limit: 9 }));
  expect(said.map(({ id }) => id)).toEqual(['msg_1', 'msg_2', 'msg_3']);
  await reopen();
  expect(await stateOf(store)).toMatchObject({ chat: { lastSeq: 3 } });
});

it('[STORE1] a failed transaction affects nothing else, including a group that is not durable yet', async () => {
  const said = say('msg_1');
  expect(await step(store, (tx) => tx.chat('chat_1')?.lastSeq)).toBe(1);
  await step(store, (tx) => tx.setPolicy(['deny *']), { chats: [] });
  db.exec('rollback');
  await said;
  expect(await store.read((r) => r.message('msg_1'))).toBeDefined();
  db.exec('rollback');
  expect(await stateOf(store)).toMatchObject({ chat: { lastSeq: 1 } });
  expect(await store.read((r) => r.message('msg_1'))).toBeDefined();
  db.exec('rollback');
  await store.transact('garden', async (tx) => tx.record({ kind: 'stop' }));
  expect(await store.verifyAudit('garden')).toMatchObject({ ok: true, records: 2 });
  expect(await store.read((r) => r.world('garden'))).toMatchObject({ policy: ['deny *'] });
});

it('[STORE1] no statement runs after a failed one, even if the error was caught', async () => {
  const changed = store.transact('garden', async (tx) => {
    await tx.updateWorld('garden', { name: 'first' });
    const pages = leaveNoRoom();
    await tx.updateWorld('garden', { policy: ['deny *'.repeat(100_000)] }).catch(() => undefined);
    db.exec(pages);
    await tx.updateWorld('garden', { name: 'second' });
  });
  await expect(changed).rejects.toThrow('disk is full');
  expect(await store.read((r) => r.world('garden'))).toMatchObject({ name: 'Garden', policy: ['allow read_file'] });
});

it('[STORE1] [WORLD10] a sent message is found, before and after it is in the tables', async () => {
  const send = () =>
    step(store, (tx) => tx.sent('chat_1', 'sent_1')?.id ?? tx.appendMessage(sent('msg_1')).id, {
      chats: ['chat_1'],
      sent: { chatId: 'chat_1', clientMessageId: 'sent_1' },
    });
  expect([await send(), await send()]).toEqual(['msg_1', 'msg_1']);
  await store.read((r) => r.message('msg_1'));
  expect(await send()).toBe('msg_1');
  db.exec('rollback');
  expect(await send()).toBe('msg_1');
  await expect(step(store, (tx) => tx.appendMessage(sent('msg_2')))).rejects.toMatchObject({ code: 'conflict' });
});

it('[WORLD10] a sent message is deleted with its chat, even before the tables are committed', async () => {
  const find = () =>
    step(store, (tx) => tx.sent('chat_1', 'sent_1')?.id, { sent: { chatId: 'chat_1', clientMessageId: 'sent_1' } });
  await step(store, (tx) => tx.appendMessage(sent('msg_1')));
  expect(await find()).toBe('msg_1');
  await step(store, (tx) => tx.deleteChat('chat_1'));
  expect(await find()).toBeUndefined();
  db.exec('rollback');
  expect(await find()).toBeUndefined();
});

it('[STORE1] a read in progress when its group fails returns none of the group’s writes', async () => {
  const said = say('msg_1');
  const reading = store.read(async (r) => {
    const seen = await r.message('msg_1');
    isFull = true;
    await said.catch(() => undefined);
    return seen;
  });
  await expect(reading).rejects.toThrow('disk is full');
  await expect(said).rejects.toThrow('disk is full');
  isFull = false;
});

it('close commits everything', async () => {
  const said = say('msg_1');
  await reopen();
  expect((await said).seq).toBe(1);
  expect(await store.read((r) => r.message('msg_1'))).toBeDefined();
});

/** Fills the disk. Returns the statement that frees space. */
function leaveNoRoom(): string {
  const { page_count: pages } = db.prepare('pragma page_count').get() as { page_count: number };
  db.exec(`pragma max_page_count = ${pages}`);
  return 'pragma max_page_count = 100000';
}

function sent(id: string) {
  return message(id, { clientMessageId: 'sent_1' });
}

function say(id: string, content = 'words') {
  return step(store, (tx) => {
    tx.record({ kind: 'run', who: { kind: 'token', id, name: id } });
    return tx.appendMessage(message(id, { content }));
  });
}

async function open(): Promise<void> {
  const file = join(folder, 'store.db');
  db = openDatabase(file, 'NORMAL');
  const real = fileLog(logFileOf(file), markOf(db), 'NORMAL');
  isFull = false;
  log = Object.create(real, {
    append: {
      value(entries: readonly Entry[]) {
        if (isFull) throw new CountersignError('store-unavailable', 'The disk is full.');
        real.append(entries);
      },
    },
  }) as StepLog;
  store = await createStore(sqliteEngine(db, 'store.db', sqliteStatements, Date, log), keepHeadsInMemory);
}

async function reopen(): Promise<void> {
  await store.close();
  await open();
}
