import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readWho } from '@countersign/protocol';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../sqlite/open-database.js';
import type { Entry } from '../sqlite/entry.js';
import { openSqlite } from '../sqlite/open-sqlite.js';
import { fileLog, newMark } from '../sqlite/step-log.js';
import { migrations } from './index.js';

/** The SHA-256 of one zero byte. */
const NUL = '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d';
const versions = migrations.map((_, index) => index + 1);

function restore(version: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'store.db');
  const db = new DatabaseSync(file);
  // Writing each statement to the disk took most of the time.
  db.exec('pragma synchronous = off');
  db.exec(readFileSync(new URL(`fixtures/version-${version}.sql`, import.meta.url), 'utf8'));
  db.close();
  return file;
}

function schemaOf(path: string): unknown {
  const db = openDatabase(path, 'NORMAL');
  const found = db.prepare('select type, name, tbl_name from sqlite_schema order by type, name').all();
  db.close();
  return found;
}

it.each(versions)(
  '[S5] [A16.4] a store of version %i opens with the new schema and all its data, and is writable',
  async (version) => {
    const file = restore(version);
    const store = await openSqlite(file, { synchronous: 'NORMAL' });
    await store.read(async (r) => {
      expect(await r.worlds()).toMatchObject([
        { id: 'garden', policy: ['allow read_file'], settings: { mode: 'ask', rehearse: version < 23 ? 'on' : 'off' } },
      ]);
      expect(await r.agents('garden')).toMatchObject([{ id: 'ann', definition: { systemPrompt: 'Be kind.' } }]);
      expect(await r.chat('chat_1')).toMatchObject({ status: 'waiting', lastSeq: 2, humanSeq: 1 });
      expect(await r.messagesOfTurn('turn_msg_1.ann')).toMatchObject([
        { id: 'msg_2', providerState: { vendorIds: ['v1'] } },
      ]);
      expect(await r.unfinishedTurns('chat_1')).toMatchObject([{ agentId: 'ann', state: 'waiting', begunSeq: 1 }]);
      expect(await r.invocations('turn_msg_1.ann', 1)).toMatchObject([{ id: 'call_1', status: 'asked' }]);
      expect(await r.approvals('garden', { status: 'pending' })).toMatchObject([
        {
          id: 'approval_1',
          callHash: 'hash_1',
          signing: version < 19 ? null : { signed: [] },
          session: version < 24 ? null : { any: true, pattern: 'ls ./**' },
          rehearsal: version < 23 ? null : { ms: 80, effect: { files: [{ path: 'notes.txt' }] } },
        },
      ]);
      const [grant, ...others] = await r.grantsOfWorld('garden');
      const me = { kind: 'person', id: 'owner', name: 'me' };
      expect(others).toEqual([]);
      expect(grant?.folder).toBe(version < 25 ? null : '/srv/garden');
      expect(readWho(grant?.grantedBy ?? '')).toEqual(version < 18 ? { kind: 'token', id: '', name: 'me' } : me);
      const who = version < 18 ? null : JSON.stringify(me);
      expect(await r.message('msg_1')).toMatchObject({ who });
      expect(await r.turn('turn_msg_1.ann')).toMatchObject({ requester: who });
      // Records stay as they were written; a change would break the chain.
      expect(await r.audit('garden', { after: 0, limit: 9 })).toMatchObject([{ kind: 'policy', who: 'me' }, {}]);
      expect(await r.clients('garden')).toMatchObject([{ id: 'client_1' }]);
      const providers = version < 13 ? [] : [{ id: 'shed-models', kind: 'vllm', apiKey: null, rev: 1 }];
      expect(await r.providers()).toMatchObject(providers);
      const people = version < 15 ? [] : [{ id: 'ada-lovelace', role: 'owner', worldRoles: { garden: 'viewer' } }];
      expect(await r.people()).toMatchObject(people);
      const account = { issuer: 'https://id.example', subject: 'ada' };
      const found = await r.personByOidc(account.issuer, account.subject);
      expect(found?.oidc).toEqual(
        version < 22 ? undefined : { ...account, groups: ['staff'], checkedAt: 1793491203000 },
      );
      expect(await r.groups()).toMatchObject(people.map(({ id }) => ({ name: 'finance', people: [id] })));
      const vault = { name: 'vault', definition: { env: { TOKEN: '' } }, sealed: 'v1.0123456789ab.bm9uY2U.Ym9keQ' };
      const well = {
        name: 'well',
        definition: { headers: {} },
        sealed: null,
        signIn: 'v1.0123456789ab.bm9uY2U.dG9rZW4',
      };
      const servers = [
        ...(version < 5 ? [] : [{ name: 'shed', sealed: null, signIn: null }]),
        ...(version < 14 ? [] : [vault]),
        ...(version < 17 ? [] : [well]),
      ];
      expect(await r.mcpServers('garden')).toMatchObject(servers);
      const file = { kind: 'file', mimeType: 'audio/wav', data: 'AA==' };
      expect(await r.attachment('chat_1', NUL)).toEqual(
        version < 16 ? undefined : { chatId: 'chat_1', id: NUL, ...file },
      );
      expect((await r.events('garden', { after: 0, limit: 9 })).map(({ event }) => event)).toEqual([
        'crud',
        'message',
        'message',
      ]);
    });
    expect(Buffer.from(store.hashKey).toString('hex')).toMatch(/^0{62}2a$/);
    await store.transact('garden', async (tx) => tx.record({ kind: 'decision', decision: 'deny' }));
    expect(await store.verifyAudit('garden')).toEqual({ ok: true, records: 3, unguarded: 2 });
    await store.close();
    expect(schemaOf(file)).toEqual(schemaOf(':memory:'));
  },
);

it('[S5] [S3] completes the steps that a killed 0.1.0 left in its log', async () => {
  const file = restore(11);
  const mark = newMark();
  const db = new DatabaseSync(file);
  db.prepare(`insert into meta (key, value) values ('step-log', ?)`).run(mark);
  db.close();
  const left = readFileSync(new URL('fixtures/steps-0.1.0.json', import.meta.url), 'utf8');
  const log = fileLog(`${file}-steps`, mark, 'NORMAL');
  log.append(JSON.parse(left) as Entry[]);
  log.close();
  const store = await openSqlite(file);
  await store.read(async (r) => {
    const messages = await r.messages('chat_1', { after: 2, limit: 9 });
    expect(messages.map(({ id, seq, content }) => [id, seq, content])).toEqual([
      ['msg_3', 3, '{"ok":true,"result":"Grüße"}'],
      ['msg_4', 4, '{"ok":true,"result":"Grüße"}'],
      ['msg_5', 5, 'Done.'],
    ]);
    expect(await r.chat('chat_1')).toMatchObject({ status: 'working', lastSeq: 5, humanSeq: 1 });
    expect(await r.turn('turn_msg_1.ann')).toMatchObject({ state: 'ended', outcome: 'answered', iteration: 2 });
    expect(await r.unfinishedTurns('chat_1')).toMatchObject([{ id: 'turn_msg_5.ann', owner: 'run_1', begunSeq: 5 }]);
    const call = { status: 'succeeded', startedEpoch: 1, result: '{"ok":true,"result":"Grüße"}' };
    expect(await r.invocation('call_1')).toMatchObject(call);
    expect(await r.approval('approval_1')).toMatchObject({ status: 'approved', decidedBy: 'eve' });
    const events = await r.events('garden', { after: 3, limit: 9 });
    expect(events.map(({ id, event }) => [id, event])).toEqual([
      [4, 'message'],
      [5, 'world'],
      [6, 'message'],
      [7, 'message'],
    ]);
  });
  expect(await store.verifyAudit('garden')).toMatchObject({ ok: true, records: 5 });
  await store.close();
});

it('[S5] [A47] an approval from before version 8 has an unknown sandbox, and its preview counts as truncated', async () => {
  const file = restore(7);
  const db = new DatabaseSync(file);
  db.exec(`update approvals set sandbox = 'bubblewrap, "no" network', preview = '+ all of it'`);
  db.close();
  const store = await openSqlite(file);
  expect(await store.read((r) => r.approval('approval_1'))).toMatchObject({
    sandbox: { kind: 'unknown', network: 'unknown', hosts: [], readable: [], detail: 'bubblewrap, "no" network' },
    preview: { text: '+ all of it', truncated: true },
    status: 'pending',
  });
  await store.close();
});

it('[S5] [A1.6] a tool accepted before version 9 counts as not reviewed: if its server removes it, the acceptance is lost', async () => {
  const file = restore(8);
  const db = new DatabaseSync(file);
  db.exec(`insert into mcp_tools (world_id, name, server, accepted, accepted_digest)
    values ('garden', 'mcp__shed__axe', 'shed', '{"name":"axe","inputSchema":{"type":"object"}}', 'digest_2')`);
  db.close();
  const store = await openSqlite(file);
  expect(await store.read((r) => r.mcpTools('garden', 'shed'))).toMatchObject([
    { name: 'mcp__shed__axe', seen: null, acceptedDigest: null, accepted: null, reviewed: false },
    { name: 'mcp__shed__rake', acceptedDigest: 'digest_1', reviewed: false },
  ]);
  await store.close();
});

it('[A46.3] encrypted values of an MCP server that are not text count as damaged, not as missing', async () => {
  const file = restore(14);
  const db = new DatabaseSync(file);
  db.exec(`update mcp_servers set definition = json_set(definition, '$.sealed', null) where name = 'vault'`);
  db.close();
  const store = await openSqlite(file);
  expect(await store.read((r) => r.mcpServer('garden', 'vault'))).toMatchObject({ sealed: '' });
  await store.close();
});
