import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '@countersign/core/ports';
import { message, plant, stateOf, step } from '@countersign/core/testing/step-contract';
import { CountersignError } from '@countersign/protocol';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import fc from 'fast-check';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { scaled } from '../../../../tests/support/scaled.js';
import { keepHeadsInMemory } from '../audit/head-keeper.js';
import { createStore } from '../create-store.js';
import { sqliteEngine } from './engine.js';
import type { Entry } from './log/entry.js';
import { markOf } from './log/mark.js';
import { openDatabase } from './file/open-database.js';
import { openSqlite } from './open.js';
import { sqliteStatements } from './statements.js';
import { fileLog, logFileOf, type StepLog } from './log/step-log.js';

let file: string;
let db: DatabaseSyncInstance;
let store: Store;
let log: StepLog;
/** Pending syncs. */
let syncs: { succeed: () => void; fail: () => void }[];
let isSlow: boolean;
/** The operation that the disk rejects next. */
let refuses: 'append' | 'sync' | undefined;

beforeEach(open);

async function open(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-'));
  file = join(folder, 'store.db');
  db = openDatabase(file, 'FULL');
  const real = fileLog(logFileOf(file), markOf(db), 'FULL');
  syncs = [];
  isSlow = false;
  refuses = undefined;
  const refuse = () => new CountersignError('store-unavailable', 'The disk reports an error.');
  const append = (entries: readonly Entry[]): void => {
    if (refuses === 'append') throw refuse();
    real.append(entries);
  };
  const sync = (): Promise<void> => {
    if (refuses === 'sync') return Promise.reject(refuse());
    const begin = () => real.sync?.() ?? Promise.resolve();
    if (!isSlow) return begin();
    return new Promise((resolve, reject) => {
      syncs.push({ succeed: () => void begin().then(resolve, reject), fail: () => reject(refuse()) });
    });
  };
  log = Object.create(real, { append: { value: append, configurable: true }, sync: { value: sync } }) as StepLog;
  store = await createStore(sqliteEngine(db, 'store.db', sqliteStatements, Date, log), keepHeadsInMemory);
  onTestFinished(async () => {
    isSlow = false;
    for (const { succeed } of syncs) succeed();
    await store.close().catch(() => undefined);
    rmSync(folder, { recursive: true, force: true });
  });
  await plant(store);
}

it('[STORE7] [WORLD10] a message is found even if the disk filled up after it was read', async () => {
  expect(await send('msg_1')).toBe('msg_1');
  expect(await store.read((r) => r.message('msg_1'))).toBeDefined();
  const makeRoom = leaveNoRoom();
  await say('msg_2', 'x'.repeat(500_000));
  await expect(store.read((r) => r.message('msg_1'))).rejects.toThrow('disk is full');
  expect(await send('msg_3')).toBe('msg_1');
  makeRoom();
  expect(await ids(store)).toEqual(['msg_1', 'msg_2']);
});

it('[HTTP2.1] [STORE7] says that nothing can be stored while the disk is full, and leaves nothing behind', async () => {
  const keys = (): unknown => db.prepare('select key from meta order by key').all();
  const before = keys();
  await store.checkWritable();
  expect(keys()).toEqual(before);
  await say('msg_1', 'x'.repeat(50_000));
  await store.read((r) => r.message('msg_1'));
  const makeRoom = leaveNoRoom();
  await expect(store.checkWritable()).rejects.toThrow('disk is full');
  makeRoom();
  await store.checkWritable();
  expect(keys()).toEqual(before);
});

it('[STORE7] [CALL2] a changed rule stays changed even if the disk was then too full for the tables', async () => {
  const before = await rev();
  await step(store, (tx) => tx.setPolicy(['deny *']), { chats: [] });
  const makeRoom = leaveNoRoom();
  await say('msg_1', 'x'.repeat(500_000));
  await expect(store.read((r) => r.world('garden'))).rejects.toThrow('disk is full');
  await expect(rev()).rejects.toThrow('disk is full');
  makeRoom();
  expect(await rev()).toBe((before ?? 0) + 1);
});

it('[STORE1] [STORE7] the log contains no part of a step whose sync failed', async () => {
  await say('msg_1');
  isSlow = true;
  const lost = [say('msg_2'), turn().then(() => say('msg_3'))].map((said) => said.catch(() => 'lost'));
  await turn();
  await turn();
  syncs[0]?.fail();
  expect(await Promise.all(lost)).toEqual(['lost', 'lost']);
  expect(await afterKill(ids)).toEqual(['msg_1']);
  isSlow = false;
  await say('msg_4');
  expect(await afterKill(ids)).toEqual(['msg_1', 'msg_4']);
});

it('[STORE1] a transaction is complete even if a sync fails while it runs', async () => {
  isSlow = true;
  const lost = say('msg_1').catch(() => 'lost');
  const changed = store.transact('garden', async (tx) => {
    await tx.updateWorld('garden', { name: 'first' });
    syncs[0]?.fail();
    await turn();
    await tx.updateWorld('garden', { policy: ['second'] });
  });
  await turn();
  syncs[0]?.fail();
  const outcome = await changed.then(
    () => ({ name: 'first', policy: ['second'] }),
    () => ({ name: 'Garden', policy: ['allow read_file'] }),
  );
  expect(await lost).toBe('lost');
  expect(await store.read((r) => r.world('garden'))).toMatchObject(outcome);
});

it('[STORE1] a read-only transaction resolves once the data it has read is on disk', async () => {
  isSlow = true;
  const said = say('msg_1');
  let seen: string | undefined;
  const looked = store
    .transact('garden', async (tx) => tx.message('msg_1'))
    .then(({ value }) => {
      seen = value?.id ?? 'none';
    });
  await turn();
  await turn();
  expect(seen).toBeUndefined();
  isSlow = false;
  syncs[0]?.succeed();
  await Promise.all([said, looked]);
  expect(seen).toBe('msg_1');
});

it('[STORE1] [STORE6] subscribers that write while a long log is committed get events in order', async () => {
  isSlow = true;
  const told: string[] = [];
  const tell = (id: string, then?: () => void) =>
    store.step(
      'garden',
      { chats: ['chat_1'] },
      (reads) => ({ value: reads.now, writes: { changes: [], emissions: [emission(id)], records: [], wakes: [] } }),
      (events) => {
        told.push(...events.map((event) => `${id} ${event.id}`));
        then?.();
      },
    );
  const nested: Promise<unknown>[] = [];
  const all = [tell('a', () => nested.push(tell('nested'))), tell('b', () => nested.push(tell('nested 2')))];
  await turn();
  all.push(tell('long'.repeat(300_000)));
  await turn();
  all.push(tell('c'), tell('d'));
  isSlow = false;
  for (const { succeed } of syncs) succeed();
  await Promise.all(all);
  await Promise.all(nested);
  const numbers = told.map((line) => Number(line.split(' ').at(-1)));
  expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
  expect(new Set(numbers).size).toBe(7);
  expect(await store.read((r) => r.world('garden'))).toBeDefined();
});

it('[STORE7] close waits for the disk if the tables have no space, and the log keeps the steps', async () => {
  isSlow = true;
  leaveNoRoom();
  const said = say('msg_1', 'x'.repeat(500_000));
  const closed = store.close().catch((error: unknown) => error);
  await turn();
  for (const { succeed } of syncs) succeed();
  expect(await closed).toMatchObject({ code: 'store-unavailable' });
  expect((await said).seq).toBe(1);
  expect(await afterKill(ids)).toEqual(['msg_1']);
});

it('[STORE3] loses nothing if a table commit succeeded although SQLite reported an error', async () => {
  await say('msg_1');
  // The commit is on disk but its sync failed, so the log continues as if it hadn't happened.
  Object.defineProperty(log, 'restart', { value: () => undefined });
  await store.transact('garden', (tx) => tx.updateWorld('garden', { name: 'changed' }));
  await say('msg_2');
  expect(await afterKill(ids)).toEqual(['msg_1', 'msg_2']);
});

it('[STORE1] [STORE3] after a kill at any moment, everything confirmed is stored, and each step is complete', async () => {
  const answered: string[] = [];
  const moments: { folder: string; answered: string[] }[] = [];
  const note = () => moments.push({ folder: copyFiles(), answered: [...answered] });
  for (const name of ['append', 'restart'] as const) {
    const real = log[name].bind(log);
    Object.defineProperty(log, name, {
      value(this: void, given: never) {
        note();
        real(given);
        note();
      },
    });
  }
  const works = [
    () => say('a'),
    () => store.read((r) => r.message('a')),
    () => store.transact('garden', (tx) => tx.updateWorld('garden', { name: 'changed' })),
    () => Promise.all([say('b'), say('c', 'x'.repeat(1_100_000))]),
    () => step(store, (tx) => tx.setPolicy(['deny *']), { chats: [] }),
    () => say('d'),
    () => say('e'),
  ];
  for (const [at, work] of works.entries()) {
    await work();
    answered.push(...([['a'], [], [], ['b', 'c'], [], ['d'], ['e']][at] ?? []));
    note();
  }
  expect(moments.length).toBeGreaterThan(20);
  for (const moment of moments) {
    // A process killed during recovery leaves the same state to the next one.
    const left = join(moment.folder, 'store.db-steps');
    const steps = existsSync(left) ? readFileSync(left) : undefined;
    const seen = await opened(moment.folder, ids);
    expect(seen).toEqual(['a', 'b', 'c', 'd', 'e'].slice(0, seen.length));
    expect(seen).toEqual(expect.arrayContaining(moment.answered));
    if (steps !== undefined) writeFileSync(left, steps);
    expect(await opened(moment.folder, ids)).toEqual(seen);
    rmSync(moment.folder, { recursive: true });
  }
});

const works = fc.array(
  fc.record({
    work: fc.constantFrom('say', 'say', 'long', 'rule', 'change', 'read', 'look'),
    fault: fc.constantFrom(undefined, undefined, undefined, 'append', 'sync', 'tables', 'lost', 'turn', 'wait'),
  }),
  { minLength: 5, maxLength: 40 },
);

it('[STORE1] [STORE3] [STORE7] whatever the disk rejects, successful steps are stored, failed ones are not, and memory matches the disk', async () => {
  await fc.assert(
    fc.asyncProperty(works, async (script) => {
      await open();
      let makeRoom = () => {};
      const outcomes: Promise<unknown>[] = [];
      const written: string[] = [];
      const changes: string[] = [];
      for (const [at, { work, fault }] of script.entries()) {
        refuses = fault === 'append' || fault === 'sync' ? fault : undefined;
        makeRoom();
        if (fault === 'tables') makeRoom = leaveNoRoom();
        if (fault === 'lost' && db.isTransaction) db.exec('rollback');
        const done = (list: string[]) => () => void list.push(`${work}_${at}`);
        outcomes.push(
          act(work, `${work}_${at}`).then(done(work === 'say' || work === 'long' ? written : changes), () => 0),
        );
        if (fault === 'turn') await turn();
        if (fault === 'wait') await Promise.all(outcomes);
      }
      await Promise.all(outcomes);
      refuses = undefined;
      makeRoom();
      const check = async (of: Store) => {
        expect(await ids(of)).toEqual(written);
        expect(await of.verifyAudit('garden')).toMatchObject({ ok: true });
        const world = await of.read((r) => r.world('garden'));
        expect(world?.name).toBe(changes.findLast((id) => id.startsWith('change')) ?? 'Garden');
        expect(world?.policy).toEqual([changes.findLast((id) => id.startsWith('rule')) ?? 'allow read_file']);
        return await stateOf(of);
      };
      const killed = await afterKill(check);
      expect(await check(store)).toEqual(killed);
      await store.close();
      expect(await afterKill(check)).toEqual(killed);
    }),
    { numRuns: scaled(20, 6) },
  );
});

async function act(work: string, id: string): Promise<unknown> {
  switch (work) {
    case 'say':
      return await say(id);
    case 'long':
      return await say(id, 'x'.repeat(300_000));
    case 'rule':
      return await step(store, (tx) => tx.setPolicy([id]), { chats: [] });
    case 'change':
      return await store.transact('garden', (tx) => tx.updateWorld('garden', { name: id }));
    case 'read':
      return await store.read((r) => r.messages('chat_1', { after: 0, limit: 99 }));
    default:
      return await stateOf(store);
  }
}

function say(id: string, content = 'words') {
  return step(store, (tx) => {
    tx.record({ kind: 'run', who: { kind: 'token', id, name: id } });
    return tx.appendMessage(message(id, { content }));
  });
}

/** Like a client that retries. */
function send(id: string): Promise<string> {
  const clientMessageId = 'sent_1';
  const needs = { chats: ['chat_1'], sent: { chatId: 'chat_1', clientMessageId } };
  return step(
    store,
    (tx) => (tx.sent('chat_1', clientMessageId) ?? tx.appendMessage(message(id, { clientMessageId }))).id,
    needs,
  );
}

function emission(id: string) {
  return { event: 'system', chatId: null, data: { type: 'notice', message: id, messageId: id } } as const;
}

async function rev(): Promise<number | undefined> {
  const nothing = { changes: [], emissions: [], records: [], wakes: [] };
  const { value } = await store.step('garden', { chats: [] }, ({ worldRev }) => ({ value: worldRev, writes: nothing }));
  return value;
}

async function ids(of: Store): Promise<string[]> {
  const messages = await of.read((r) => r.messages('chat_1', { after: 0, limit: 99 }));
  expect(await stateOf(of)).toMatchObject({ chat: { lastSeq: messages.length } });
  return messages.map(({ id }) => id);
}

function leaveNoRoom(): () => void {
  const { page_count: pages } = db.prepare('pragma page_count').get() as { page_count: number };
  db.exec(`pragma max_page_count = ${pages}`);
  return () => db.exec('pragma max_page_count = 100000');
}

/** Waits for one event loop turn and the work it started. */
function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(() => setImmediate(resolve)));
}

/** The files that a process killed now would leave to the next one. */
async function afterKill<T>(look: (store: Store) => Promise<T>): Promise<T> {
  const folder = copyFiles();
  try {
    return await opened(folder, look);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function copyFiles(): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-'));
  const copy = join(folder, 'store.db');
  for (const end of ['', '-wal', '-steps']) if (existsSync(file + end)) copyFileSync(file + end, copy + end);
  return folder;
}

async function opened<T>(folder: string, look: (store: Store) => Promise<T>): Promise<T> {
  const next = await openSqlite(join(folder, 'store.db'), { synchronous: 'NORMAL' });
  try {
    expect(await next.verifyAudit('garden')).toMatchObject({ ok: true });
    return await look(next);
  } finally {
    await next.close();
  }
}
