import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { isOwnFile, type Store } from '@countersign/core/ports';
import { EMPTY_CHAT, stepOf } from '@countersign/core/testing';
import { message } from '@countersign/core/testing/step-contract';
import { worldSettingsSchema } from '@countersign/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FIRST_VERSION, newestVersion } from '../migrations/index.js';
import { openSqlite } from './open.js';

let folder = '';
let file = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-'));
  file = join(folder, 'store.db');
});
afterEach(() => {
  chmodSync(folder, 0o755);
  rmSync(folder, { recursive: true, force: true });
});

async function makeWorld(store: Store): Promise<void> {
  await store.transact('w', async (tx) => {
    await tx.insertWorld({ id: 'w', name: 'W', settings: worldSettingsSchema.parse({}), policy: [] });
    tx.record({ kind: 'policy', why: 'made' });
  });
}

async function say(store: Store, id: string): Promise<void> {
  await stepOf(store, 'w', { chats: ['chat_1'] }, (tx) => {
    if (tx.chat('chat_1') === undefined) tx.createChat(chat);
    tx.appendMessage({ ...message(id), worldId: 'w', chatId: 'chat_1' });
    tx.record({ kind: 'stop' });
  });
}
const chat = {
  id: 'chat_1',
  worldId: 'w',
  title: 'Chat',
  titled: true,
  ...EMPTY_CHAT,
  createdAt: 1,
} as const;

describe('our own file', () => {
  it('is readable only by its owner, and close leaves a single file', async () => {
    const store = await openSqlite(file);
    await makeWorld(store);
    await store.close();
    expect(readdirSync(folder).sort()).toEqual(['store.db', 'store.db.audit-head']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(`${file}.audit-head`).mode & 0o777).toBe(0o600);
  });

  it('[STORE3] [SAFE1] has its step log next to the real file even if it was opened through a link, so that any path finds it and no tool can open it', async () => {
    const store = await openSqlite(file);
    await makeWorld(store);
    await store.close();
    const elsewhere = mkdtempSync(join(tmpdir(), 'countersign-'));
    const link = join(elsewhere, 'link.db');
    symlinkSync(file, link);
    const linked = await openSqlite(link);
    await say(linked, 'msg_1');
    expect(readdirSync(elsewhere).filter((name) => name.includes('-steps'))).toEqual([]);
    expect(readdirSync(folder)).toContain('store.db-steps');
    expect(isOwnFile(realpathSync(`${file}-steps`))).toBe(true);
    expect(isOwnFile(join(realpathSync(elsewhere), 'link.db.audit-head'))).toBe(true);
    await linked.close();
    rmSync(elsewhere, { recursive: true });
  });

  it('[STORE4] has one owner: a second open in this process fails, and the first continues', async () => {
    const store = await openSqlite(file);
    await expect(openSqlite(file)).rejects.toMatchObject({
      code: 'store-locked',
      message: expect.stringContaining(`pid ${process.pid}`) as string,
    });
    await makeWorld(store);
    await store.close();
    const again = await openSqlite(file);
    expect(await again.read((r) => r.worlds())).toHaveLength(1);
    await again.close();
  });

  it('[STORE4] has one owner: another process finds it locked, even after a failed second open here', async () => {
    const store = await openSqlite(file);
    await expect(openSqlite(file)).rejects.toMatchObject({ code: 'store-locked' });
    const sqlite = JSON.stringify(import.meta.resolve('@photostructure/sqlite'));
    const script = `
      import { DatabaseSync } from ${sqlite};
      const db = new DatabaseSync(${JSON.stringify(file)});
      try { db.exec('select * from worlds'); console.log('read'); } catch (error) { console.log(error.message); }
    `;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect(stdout.trim()).toBe('database is locked');
    await store.close();
  });

  it('[STORE4] reports the owner if another process has it open', async () => {
    const holder = new DatabaseSync(file);
    holder.exec('pragma application_id = 1131369321; begin exclusive; create table t (a)');
    holder.exec('commit; begin exclusive');
    writeFileSync(`${file}.owner`, '4711\n');
    await expect(openSqlite(file)).rejects.toMatchObject({
      code: 'store-locked',
      message: expect.stringContaining('pid 4711') as string,
    });
    expect(readFileSync(`${file}.owner`, 'utf8')).toBe('4711\n');
    holder.exec('rollback');
    holder.close();
  });

  it('[STORE3] committed steps survive a killed process', async () => {
    const store = await openSqlite(file);
    await makeWorld(store);
    await say(store, 'msg_1');
    // Copying the open file and its logs gives the state after a kill.
    const killed = join(folder, 'killed.db');
    for (const suffix of ['', '-wal', '-steps']) writeFileSync(killed + suffix, readFileSync(file + suffix));
    await say(store, 'msg_2');
    await store.close();
    const again = await openSqlite(killed);
    expect(await again.read((r) => r.worlds())).toHaveLength(1);
    expect(await again.read((r) => r.messages('chat_1', { after: 0, limit: 9 }))).toMatchObject([{ id: 'msg_1' }]);
    // The head file was not copied, and the result reports that.
    expect(await again.verifyAudit('w')).toEqual({ ok: true, records: 2, unguarded: 2 });
    await again.close();
    expect(readdirSync(folder).filter((name) => /-wal$|-steps$/.test(name))).toEqual([]);
  });

  it('[STORE3] ignores a log that belongs to another state of the file', async () => {
    const store = await openSqlite(file);
    await makeWorld(store);
    await say(store, 'msg_1');
    const stale = readFileSync(`${file}-steps`);
    await store.close();
    writeFileSync(`${file}-steps`, stale);
    const again = await openSqlite(file);
    expect(await again.read((r) => r.messages('chat_1', { after: 0, limit: 9 }))).toHaveLength(1);
    await again.close();
    expect(readdirSync(folder).sort()).toEqual(['store.db', 'store.db.audit-head']);
  });

  it('[LOG3] reports a missing head file, even after new records have created another one', async () => {
    const store = await openSqlite(file);
    await makeWorld(store);
    expect(await store.verifyAudit('w')).toEqual({ ok: true, records: 1 });
    await store.close();
    rmSync(`${file}.audit-head`);
    const without = await openSqlite(file);
    expect(await without.verifyAudit('w')).toEqual({ ok: true, records: 1, unguarded: 1 });
    await without.transact('w', async (tx) => {
      tx.record({ kind: 'stop' });
      tx.record({ kind: 'stop' });
    });
    expect(await without.verifyAudit('w')).toEqual({ ok: true, records: 3, unguarded: 1 });
    await without.close();
    const again = await openSqlite(file);
    await again.transact('w', async (tx) => tx.record({ kind: 'stop' }));
    expect(await again.verifyAudit('w')).toEqual({ ok: true, records: 4, unguarded: 1 });
    await again.close();
  });

  it('an empty file becomes a new store', async () => {
    writeFileSync(file, '');
    const store = await openSqlite(file);
    await makeWorld(store);
    expect(await store.read((r) => r.worlds())).toHaveLength(1);
    await store.close();
  });

  it('close is idempotent, and completes earlier requests', async () => {
    const store = await openSqlite(file);
    const made = makeWorld(store);
    await Promise.all([store.close(), store.close(), made]);
    const again = await openSqlite(file);
    expect(await again.read((r) => r.worlds())).toHaveLength(1);
    await again.close();
  });

  it.each(['', '{', '5', '[]', 'null', '{"w":5}', '{"w":{"seq":"1","hash":"x"}}'])(
    '[LOG1] a damaged head file (%s) is reported and kept, and the store opens once it is removed',
    async (text) => {
      await openSqlite(file).then((store) => store.close());
      writeFileSync(`${file}.audit-head`, text);
      await expect(openSqlite(file)).rejects.toMatchObject({ code: 'store-unavailable' });
      expect(readFileSync(`${file}.audit-head`, 'utf8')).toBe(text);
      rmSync(`${file}.audit-head`);
      await openSqlite(file).then((store) => store.close());
    },
  );

  it('opens even if its owner file can’t be written', async () => {
    mkdirSync(`${file}.owner`);
    const store = await openSqlite(file);
    await makeWorld(store);
    await expect(openSqlite(file)).rejects.toMatchObject({ code: 'store-locked' });
    await store.close();
  });

  it('[STORE7] reports on close that the file was removed while open', async () => {
    const store = await openSqlite(file);
    await makeWorld(store);
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
    await expect(store.close()).rejects.toMatchObject({
      code: 'store-unavailable',
      message: expect.stringContaining('moved or deleted') as string,
    });
  });

  it('[HTTP1] an unsupported parameter is rejected with an error that names it, and no part of its step is written', async () => {
    const store = await openSqlite(file);
    await makeWorld(store);
    const misfits = [undefined, Number.NaN, {}, [], 1n, Symbol('s'), true];
    for (const misfit of misfits) {
      const step = store.transact('w', async (tx) => {
        await tx.updateWorld('w', { name: 'Written' });
        await tx.chat(misfit as never);
      });
      await expect(step).rejects.toMatchObject({ code: 'invalid', field: 'id' });
    }
    expect(await store.read((reader) => reader.world('w'))).not.toMatchObject({ name: 'Written' });
    await store.close();
  });
});

it('[MCP2] encrypted values of an MCP server that are not text count as damaged, not as missing', async () => {
  const first = await openSqlite(file);
  const record = { worldId: 'w', name: 'vault', sealed: 'v1.a.b.c', signIn: null, firstListedAt: null, createdAt: 1 };
  const definition = { transport: 'stdio', command: 'x', args: [], env: { TOKEN: '' } } as never;
  await first.transact('w', (tx) => tx.insertMcpServer({ ...record, definition }));
  await first.close();
  const db = new DatabaseSync(file);
  db.exec(`update mcp_servers set definition = json_set(definition, '$.sealed', null)`);
  db.close();
  const store = await openSqlite(file);
  expect(await store.read((r) => r.mcpServer('w', 'vault'))).toMatchObject({ sealed: '' });
  await store.close();
});

describe('a file we must not write to stays byte-identical, with no new files next to it', () => {
  async function makeForeign(pragmas: string): Promise<void> {
    const db = new DatabaseSync(file);
    db.exec(`${pragmas}; create table t (a); insert into t values (1)`);
    db.close();
  }
  async function makeOurs(pragma?: string): Promise<void> {
    await openSqlite(file).then((store) => store.close());
    if (pragma === undefined) return;
    const db = new DatabaseSync(file);
    db.exec(pragma);
    db.close();
  }

  it.each([
    ['text', 'store-foreign', async () => writeFileSync(file, 'Dear diary,\n'.repeat(50))],
    ['a short file', 'store-foreign', async () => writeFileSync(file, 'x')],
    ['a database without an application id', 'store-foreign', () => makeForeign('pragma user_version = 1')],
    ['a database of another program', 'store-foreign', () => makeForeign('pragma application_id = 7')],
    ['a database with a WAL', 'store-foreign', () => makeForeign('pragma journal_mode = wal')],
    ['[STORE5] a newer store', 'store-newer', () => makeOurs(`pragma user_version = ${newestVersion() + 1}`)],
    [
      '[STORE5.1] an unreleased store',
      'store-unreleased',
      () => makeOurs(`pragma user_version = ${FIRST_VERSION - 1}`),
    ],
    ['a read-only store', 'store-readonly', () => makeOurs().then(() => chmodSync(file, 0o400))],
    ['a store in a read-only folder', 'store-readonly', () => makeOurs().then(() => chmodSync(folder, 0o500))],
  ])('%s: %s', async (_, code, make) => {
    await make();
    const before = readFileSync(file);
    const beside = readdirSync(folder);
    await expect(openSqlite(file)).rejects.toMatchObject({ code, message: expect.stringContaining(folder) as string });
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(folder)).toEqual(beside);
  });

  it('[STORE5] the error for a newer store says what to do', async () => {
    await makeOurs('pragma user_version = 99');
    await expect(openSqlite(file)).rejects.toThrow('Update Countersign');
  });

  it.each([
    [1, '12aa7d02'],
    [26, '267d1a9f'],
    [27, '15b7e264'],
    [28, 'c580aa1b'],
  ])(
    '[STORE5.1] the error for an unreleased store (schema %i) says how to keep what is in it',
    async (version, commit) => {
      await makeOurs(`pragma user_version = ${version}`);
      await expect(openSqlite(file)).rejects.toThrow(new RegExp(`check out commit ${commit}, .*"countersign export"`));
    },
  );

  it('applies to a folder, a missing folder, and a file where a folder should be', async () => {
    mkdirSync(file);
    await expect(openSqlite(file)).rejects.toMatchObject({ code: 'invalid' });
    await expect(openSqlite(join(folder, 'no', 'store.db'))).rejects.toMatchObject({ code: 'not-found' });
    writeFileSync(join(folder, 'plain'), '');
    await expect(openSqlite(join(folder, 'plain', 'store.db'))).rejects.toMatchObject({ code: 'not-found' });
    expect(readdirSync(folder).sort()).toEqual(['plain', 'store.db']);
  });

  it('a broken link', async () => {
    symlinkSync(join(folder, 'nothing'), file);
    await expect(openSqlite(file)).rejects.toMatchObject({ code: 'not-found' });
    expect(readdirSync(folder)).toEqual(['store.db']);
  });

  it.each(['-wal', '-steps'])('a folder where the log %s should be', async (end) => {
    await makeOurs();
    const before = readFileSync(file);
    mkdirSync(file + end);
    await expect(openSqlite(file)).rejects.toMatchObject({ code: 'store-unavailable' });
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('a new store in a read-only folder', async () => {
    chmodSync(folder, 0o500);
    await expect(openSqlite(file)).rejects.toMatchObject({ code: 'store-readonly' });
    expect(readdirSync(folder)).toEqual([]);
  });
});
