import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { worldSettingsSchema } from '@countersign/protocol';
import type { Store } from '@countersign/core/ports';
import { EMPTY_CHAT, stepOf } from '@countersign/core/testing';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { createPostgresDatabase } from '../../../../tests/support/postgres-database.js';
import { openPostgres } from '../postgres/open.js';
import { openSqlite } from '../sqlite/open.js';
import { copyStore } from './copy-store.js';

let url = '';
beforeAll(async () => {
  url = await createPostgresDatabase();
});

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'store.db');
}

const ODD = 'NUL \0, half of a pair \ud800, the mark \u001a itself, Grüße 🦉';

/** More rows than fit on a page, in every growing table. */
async function fill(store: Store): Promise<void> {
  await store.transact('w', async (tx) => {
    await tx.insertWorld({ id: 'w', name: 'W', settings: worldSettingsSchema.parse({}), policy: ['deny rm'] });
  });
  await addChat(store, 'chat_1', ODD);
  for (let at = 0; at < 300; at += 1) {
    await store.transact('w', async (tx) => {
      tx.record({ kind: 'stop', why: `${ODD} ${at}` });
      tx.emit({ event: 'system', chatId: 'chat_1', data: { type: 'notice', message: `${ODD} ${at}` } });
    });
  }
}

async function addChat(store: Store, id: string, title: string): Promise<void> {
  const chat = {
    id,
    worldId: 'w',
    title,
    titled: true,
    ...EMPTY_CHAT,
    createdAt: 1,
  } as const;
  await stepOf(store, 'w', { chats: [] }, (tx) => tx.createChat(chat));
}

async function contents(store: Store): Promise<unknown> {
  return await store.read(async (reader) => ({
    worlds: await reader.worlds(),
    chats: await reader.chats('w'),
    events: await reader.events('w', { after: 0, limit: 1000 }),
    audit: await reader.audit('w', { after: 0, limit: 1000 }),
  }));
}

it('[STORE4] copies SQLite to PostgreSQL and back, and each copy continues where its source stopped', async () => {
  const [first, second] = [newFile(), newFile()];
  const original = await openSqlite(first);
  await fill(original);
  const before = await contents(original);
  const { hashKey } = original;
  await original.close();

  const seen: string[] = [];
  const there = { kind: 'postgres', url, schema: 'moved', headFile: `${second}.head` } as const;
  const report = await copyStore({ kind: 'sqlite', file: first }, there, ({ table, rows, of }) => {
    seen.push(`${table} ${rows}/${of}`);
  });
  expect(report).toMatchObject({ auditRecords: 300, tables: { worlds: 1, chats: 1, events: 300, audit: 300 } });
  expect(seen).toEqual(expect.arrayContaining(['events 200/300', 'events 300/300']));
  const copy = await openPostgres(url, there);
  expect(await contents(copy)).toEqual(before);
  expect(copy.hashKey).toEqual(hashKey);
  await addChat(copy, 'chat_2', 'later');
  await copy.close();

  await copyStore(there, { kind: 'sqlite', file: second });
  const back = await openSqlite(second);
  expect(await back.read((reader) => reader.chats('w'))).toMatchObject([{ id: 'chat_1' }, { id: 'chat_2' }]);
  expect(await back.verifyAudit('w')).toEqual({ ok: true, records: 300 });
  await back.close();
});

it('rejects a target that is not empty, and leaves it unchanged', async () => {
  const [from, into] = [newFile(), newFile()];
  for (const file of [from, into]) {
    const store = await openSqlite(file);
    await fill(store);
    await store.close();
  }
  const copying = copyStore({ kind: 'sqlite', file: from }, { kind: 'sqlite', file: into });
  await expect(copying).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('not empty') as string,
  });
  const store = await openSqlite(into);
  expect(await store.verifyAudit('w')).toEqual({ ok: true, records: 300 });
  await store.close();
});

it('[LOG1] rejects a source with a broken audit log', async () => {
  const file = newFile();
  const store = await openSqlite(file);
  await fill(store);
  await store.close();
  const { DatabaseSync } = await import('@photostructure/sqlite');
  const db = new DatabaseSync(file);
  db.exec('delete from audit where seq = 7');
  db.close();
  const copying = copyStore({ kind: 'sqlite', file }, { kind: 'postgres', url, schema: 'broken' });
  await expect(copying).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('broken at 7') as string,
  });
});

it('[STORE4] rejects a store that a running server uses', async () => {
  const store = await openPostgres(url, { schema: 'lively' });
  await store.shared?.beat('run_1', 1_000);
  const copying = copyStore({ kind: 'postgres', url, schema: 'lively' }, { kind: 'sqlite', file: newFile() });
  await expect(copying).rejects.toMatchObject({ code: 'store-locked' });
  await store.close();
});
