import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createMigratedDatabase } from '../../../tests/support/postgres-database.js';
import {
  openCountersign,
  openSqlite,
  openWorld,
  scripted,
  type Countersign,
  type CountersignOptions,
  type Store,
} from './index.js';
import { systemClock } from './system-clock.js';
import { gated, tool } from './testing/fixture.js';
import { freshFolder } from './testing/fresh-folder.js';

const inFolder = freshFolder();
const open = new Set<Countersign>();
afterEach(async () => {
  for (const each of open) await each.close();
  open.clear();
});

async function start(options: Partial<CountersignOptions> = {}): Promise<Countersign> {
  const countersign = await openCountersign({ store: ':memory:', providers: [scripted(() => 'ok')], ...options });
  open.add(countersign);
  return countersign;
}

/** Never created. */
const FILE = join(tmpdir(), `countersign-never-${process.pid}.db`);
const ada = { name: 'Ada', provider: 'scripted', model: 'any', tools: ['*'] };

describe('openCountersign', () => {
  it('[LIB1] keeps many worlds in one store, which share tools and models but no messages', async () => {
    const countersign = await start({ tools: [gated('pay', () => 'paid')], policy: ['deny pay(x=1)'] });
    const [north, south] = [
      await countersign.world('North', { agents: [ada] }),
      await countersign.world('South', { agents: [ada], policy: ['allow *'], turnLimit: 2 }),
    ];
    const chat = await north.chat();
    await chat.send('hello');
    expect(await chat.settled()).toBe('idle');
    expect(await south.chats()).toEqual([]);
    expect([await north.policy(), await south.policy()]).toEqual([['deny pay(x=1)'], ['allow *']]);
    expect((await countersign.worlds()).map(({ id, turnLimit }) => [id, turnLimit])).toEqual([
      ['north', 5],
      ['south', 2],
    ]);
    await expect(south.chat(chat.id)).rejects.toThrow('no chat');
    await countersign.quiet();
  });

  it('[LIB1] returns the same world for its name and id, creates it once, and applies new options', async () => {
    const countersign = await start();
    const [first, second] = await Promise.all([countersign.world('North'), countersign.world('North')]);
    expect(second).toBe(first);
    expect(await countersign.world('north', { agents: [ada], mainAgent: 'ada' })).toBe(first);
    expect((await first.agents()).map(({ name }) => name)).toEqual(['Ada']);
    expect(await countersign.worlds()).toMatchObject([{ id: 'north', mainAgent: 'ada' }]);
  });

  it('[LIB1.1] updates declared worlds before unfinished work resumes', async () => {
    const file = inFolder('many.db');
    const ask = { say: 'one moment', calls: [{ name: 'pay', arguments: {} }] };
    const first = await start({ store: file, providers: [scripted([ask])], tools: [gated('pay', () => 'paid')] });
    const world = await first.world('North', { agents: [ada] });
    const chat = await world.chat();
    await chat.send('pay');
    expect(await chat.settled()).toBe('waiting');
    await first.close();
    const again = await start({
      store: file,
      providers: [scripted(({ messages }) => `I was told: ${messages[0]?.content.split('\n')[0]}`)],
      tools: [gated('pay', () => 'paid')],
      worlds: [{ name: 'North', agents: [{ ...ada, systemPrompt: 'Be brief.' }] }],
    });
    const north = await again.world('North');
    const [approval] = await north.approvals();
    await north.decide(approval?.approvalId ?? '', { decision: 'approve' });
    await again.quiet();
    expect((await (await north.chat(chat.id)).messages()).at(-1)?.content).toBe('I was told: Be brief.');
  });

  it('[LIB1] accepts a store that the program opened, and closes it', async () => {
    const store = await openSqlite(inFolder('own.db'), { clock: systemClock });
    const countersign = await start({ store });
    await countersign.world('North');
    await countersign.close();
    await expect(store.read((reader) => reader.worlds())).rejects.toThrow(/closed|not open/);
  });

  it('[LIB1] [STORE4] shares a PostgreSQL database with another process', async () => {
    const url = await createMigratedDatabase();
    const [one, two] = [await start({ store: url }), await start({ store: url })];
    await one.world('North', { agents: [ada] });
    expect((await two.worlds()).map(({ id }) => id)).toEqual(['north']);
    const chat = await (await two.world('North')).chat();
    await chat.send('hello');
    expect(await chat.settled()).toBe('idle');
  });

  it('[SIGN1.6] [LOG1.4] a message can say which person sent it', async () => {
    const world = await (await start()).world('Shop');
    const chat = await world.chat();
    await chat.send('hello', { who: { id: 'ada', name: 'Ada' } });
    await chat.send('again');
    await expect(chat.send('x', { who: { id: 'ada', name: '' } })).rejects.toMatchObject({ code: 'invalid' });
    const written = (await chat.messages()).filter(({ role }) => role === 'user');
    expect(written.map(({ who }) => who)).toMatchObject([
      { kind: 'person', id: 'ada', name: 'Ada' },
      { kind: 'token', id: 'program' },
    ]);
  });

  it('[LIB1] openWorld opens a world that openCountersign finds again', async () => {
    const file = inFolder('harbour.db');
    const world = await openWorld(file, { agents: [ada], providers: [scripted(() => 'ok')] });
    await world.close();
    expect(await (await start({ store: file })).worlds()).toMatchObject([{ name: 'harbour' }]);
  });

  it.each([
    ['no store', {}, 'store: must be a file'],
    ['an empty store', { store: '' }, 'store: must be a file'],
    ['another database', { store: 'mysql://root:hunter2@db/x' }, 'store: must be a file'],
    ['half a store', { store: { read: () => undefined } }, 'store.transact: must be a function'],
    ['an unknown key', { store: FILE, agents: [ada] }, 'unknown key "agents"'],
    ['a world without a name', { store: FILE, worlds: [{}] }, 'worlds.0.name: must be text'],
    ['two worlds of one name', { store: FILE, worlds: [{ name: 'a' }, { name: 'a' }] }, 'already one named "a"'],
    ['a wrong setting', { store: FILE, worlds: [{ name: 'a', turnLimit: 0 }] }, 'turnLimit'],
    ['a wrong server', { store: FILE, mcp: [{ name: 'A' }] }, 'mcp.0'],
    ['no function', { store: FILE, approve: true }, 'approve: must be a function'],
    ['a wrong rule', { store: FILE, policy: ['allow *', 'permit x'] }, 'policy, line 2'],
    [
      'a rule that is no text',
      { store: FILE, worlds: [{ name: 'a', policy: [7] }] },
      'worlds.0.policy.0: must be text',
    ],
    ["an administrator's wrong rule", { store: FILE, adminRules: ['permit x'] }, 'adminRules, line 1'],
    [
      "an agent's wrong rule",
      { store: FILE, worlds: [{ name: 'a', agents: [{ ...ada, policy: ['permit x'] }] }] },
      'worlds.0.agents.0.policy, line 1',
    ],
    ['a short key', { store: FILE, secretsKey: 'hunter2!' }, 'secretsKey has 8 characters, but needs at least 32'],
    ['no time', { store: FILE, approveTimeoutMs: 0 }, 'approveTimeoutMs'],
    ['no time at all', null, 'options: must be an object'],
  ])('[LIB1.2] refuses %s with a clear error, and creates nothing', async (_, options, message) => {
    const opening = openCountersign((options === null ? null : { ...options }) as unknown as CountersignOptions);
    await expect(opening).rejects.toThrow(message);
    await expect(opening).rejects.not.toThrow('hunter2');
    expect(existsSync(FILE)).toBe(false);
  });

  it('[LIB1.2] refuses unusable options of a world, and a PostgreSQL URL for openWorld', async () => {
    const countersign = await start();
    const wrong = { mcp: [{ name: 'a', transport: 'http', url: 'http://127.0.0.1:1' }] } as const;
    await expect(countersign.world('North', { ...wrong, mcp: [...wrong.mcp] })).rejects.toThrow(
      'mcp: this store runs no',
    );
    await expect(countersign.world(7 as never)).rejects.toThrow('name: must be text');
    await expect(countersign.world('North', { turnLimit: 0 })).rejects.toThrow('turnLimit');
    expect(await countersign.worlds()).toEqual([]);
    await expect(openWorld('postgres://x:secret@y/z')).rejects.toThrow('use openCountersign({ store })');
  });
});

describe('MCP servers', () => {
  const memory = (file: string) =>
    ({
      name: 'memory',
      transport: 'stdio',
      command: fileURLToPath(new URL('../../../node_modules/.bin/mcp-server-memory', import.meta.url)),
      env: { MEMORY_FILE_PATH: inFolder(file) },
    }) as const;

  it('[LIB1.1] [LIB1.4] [MCP1] offer their tools after every start, are added once, and their values are encrypted', async () => {
    const file = inFolder('mcp.db');
    for (const _ of ['first', 'second']) {
      const call = { name: 'mcp__memory__read_graph', arguments: {} };
      const countersign = await start({
        store: file,
        secretsKey: 'a passphrase that only this test knows',
        providers: [scripted([{ say: 'looking', calls: [call] }, 'done'])],
        tools: [tool('x', () => 'y')],
        worlds: [{ name: 'North', agents: [ada], mcp: [memory('memory.json')] }],
      });
      const north = await countersign.world('North');
      const chat = await north.chat();
      await chat.send('what do you know?');
      await chat.settled();
      const approvals = await north.approvals({ chatId: chat.id, status: 'pending' });
      expect(approvals.map(({ toolName }) => toolName)).toEqual(['mcp__memory__read_graph']);
      const added = (await north.audit()).filter(({ decision }) => decision === 'MCP server added');
      expect(added.length).toBe(1);
      await countersign.close();
      const stored = readFileSync(file);
      expect(stored.includes('MEMORY_FILE_PATH')).toBe(true);
      expect(stored.includes('memory.json')).toBe(false);
    }
  });

  it('[LIB1.1] of the store are added only to worlds without their own, and looking a world up changes nothing', async () => {
    const server = (name: string) => ({ name, transport: 'http', url: 'http://127.0.0.1:9', enabled: false }) as const;
    const countersign = await start({
      mcp: [server('shared')],
      worlds: [{ name: 'North', mcp: [server('own')] }, { name: 'South' }],
    });
    for (const [name, expected] of [
      ['North', 'own'],
      ['South', 'shared'],
    ] as const) {
      const world = await countersign.world(name);
      const changes: unknown[] = [];
      world.on('crud', (event) => void changes.push(event));
      expect(await countersign.world(name)).toBe(world);
      expect(await countersign.world(world.id)).toBe(world);
      expect(changes).toEqual([]);
      await countersign.world(name, { turnLimit: 7 });
      expect(changes).toMatchObject([{ entity: 'world' }]);
      const added = (await world.audit()).filter(({ decision }) => decision === 'MCP server added');
      expect(added.map((entry) => entry.arguments)).toMatchObject([{ name: expected }]);
    }
  });

  it('[LIB1.3] are stopped if opening fails', async () => {
    const children = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'ProcessWrap').length;
    const before = children();
    const sqlite = await openSqlite(inFolder('failed.db'), { clock: systemClock });
    let isDeclared = false;
    const store: Store = {
      ...sqlite,
      // The second world is opened when the server of the first one runs.
      async transact(...args) {
        if (isDeclared) await vi.waitUntil(() => children() > before, 30_000);
        return await sqlite.transact(...args);
      },
    };
    const probe = (moment: string): void => void (isDeclared ||= moment === 'after add-mcp-server');
    const worlds = [
      { name: 'North', mcp: [memory('failed.json')] },
      { name: 'South', mainAgent: 'nobody' },
    ];
    await expect(start({ store, probe, worlds })).rejects.toThrow('nobody');
    expect(children()).toBe(before);
  });
});
