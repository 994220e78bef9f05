import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { addAgent, createChat, createWorld, deleteWorld, publishMessage, updateWorld } from '@countersign/core';
import { isOwnFile } from '@countersign/core/ports';
import { MAY_ALL } from '@countersign/core/testing';
import type { Sandbox } from '@countersign/tools';
import { sharedSandbox } from '../../../../tests/support/shared-sandbox.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../testing/app-fixture.js';
import { TESTER } from '../testing/stream-fixture.js';
import { openHome, type Home, type HomeOptions } from './open-home.js';

const NONE: Sandbox = { kind: 'none', reason: 'this test has none' };
const TOKEN = /^[\w-]{43}$/;
const OWN_TOKEN = 'a-token-of-my-own-0123456789abcdef';
const sandbox = await sharedSandbox();
let folder = '';
let opened: Home[] = [];
let said: string[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-home-'));
  said = [];
});
afterEach(async () => {
  for (const home of opened) await home.close();
  opened = [];
  await rm(folder, { recursive: true, force: true });
});

async function open(more: Partial<HomeOptions> = {}): Promise<Home> {
  const log = (message: string, fields?: object): void => void said.push(`${message} ${JSON.stringify(fields)}`);
  const home = await openHome({
    home: join(folder, 'home'),
    env: {},
    log: { info: log, warn: log, error: log },
    // A closed port, so that a local Ollama doesn't change the test.
    ollamaUrl: 'http://127.0.0.1:9',
    sandbox,
    ...more,
  });
  opened.push(home);
  return home;
}

async function reopen(home: Home, more: Partial<HomeOptions> = {}): Promise<Home> {
  await home.close();
  opened = opened.filter((other) => other !== home);
  return await open(more);
}

const modeOf = async (...path: string[]): Promise<string> =>
  ((await stat(join(folder, ...path))).mode & 0o777).toString(8);

describe('the token', () => {
  it('[WHO1.7] [SAFE1] is saved in the home with mode 0600 if a sandbox hides it, and stays the same', async () => {
    const home = await open();
    expect(home.token.value).toMatch(TOKEN);
    expect(await readFile(join(folder, 'home', 'token'), 'utf8')).toBe(`${home.token.value}\n`);
    expect([await modeOf('home'), await modeOf('home', 'token')]).toEqual(['700', '600']);
    expect(isOwnFile(join(home.folder, 'token'))).toBe(true);
    const again = await reopen(home);
    expect(again.token.value).toBe(home.token.value);
    // A token that others could have read or written is ignored.
    await chmod(join(folder, 'home', 'token'), 0o644);
    const other = await reopen(again);
    expect(other.token.value).not.toBe(home.token.value);
    expect(await modeOf('home', 'token')).toBe('600');
  });

  it.runIf(sandbox.kind === 'bubblewrap')('[EXT3.14] is hidden from the program of an ACP agent', async () => {
    const home = await open();
    const { runtime } = home.engine;
    await createWorld(runtime, { name: 'Docks' }, TESTER);
    await home.start();
    const look = `ls -a ${home.folder} ${home.folder}-secrets > seen.part; mv seen.part seen`;
    const acp = { command: ['/bin/sh', '-c', look] };
    await addAgent(runtime, 'docks', { name: 'Ada', provider: 'acp', model: 'any', acp }, TESTER, MAY_ALL);
    const { id: chatId } = await createChat(runtime, 'docks');
    await publishMessage(runtime, {
      worldId: 'docks',
      chatId,
      speaker: 'human',
      content: 'look',
    });
    const seen = join(home.workFolders.pathOf('docks'), 'seen');
    await until(() => Promise.resolve(existsSync(seen) || undefined), 'the program has looked');
    expect((await readFile(seen, 'utf8')).split('\n')).not.toContain('token');
  });

  it('[LOG1] signs with the name of its owner', async () => {
    expect((await open()).token.holder).toEqual({ kind: 'person', id: 'owner', name: userInfo().username });
  });

  it('[WHO1.7] [SAFE1] stays in memory if no sandbox hides it, and a saved one is removed', async () => {
    const before = await open();
    const home = await reopen(before, { sandbox: NONE });
    expect(home.token.value).toMatch(TOKEN);
    expect(home.token.value).not.toBe(before.token.value);
    expect(home.token.source).toEqual({ kind: 'memory' });
    for (const name of await readdir(home.folder)) {
      expect(await readFile(join(home.folder, name), 'latin1')).not.toContain(home.token.value);
    }
    expect(existsSync(join(home.folder, 'token'))).toBe(false);
    expect(said.join('\n')).toContain(
      'no sandbox: nothing stops an approved command from reading and changing your files, using the network or approving its own calls',
    );
  });

  it('[WHO1] comes from COUNTERSIGN_TOKEN if set, and is not saved', async () => {
    await (await open()).close();
    opened = [];
    const env = { COUNTERSIGN_TOKEN: OWN_TOKEN };
    const home = await open({ env });
    expect(home.token).toEqual({
      value: OWN_TOKEN,
      source: { kind: 'environment' },
      holder: { kind: 'token', id: 'COUNTERSIGN_TOKEN', name: 'COUNTERSIGN_TOKEN' },
    });
    expect(env).toEqual({});
    expect(existsSync(join(home.folder, 'token'))).toBe(false);
    await expect(reopen(home, { env: { COUNTERSIGN_TOKEN: 'two words' } })).rejects.toThrow(
      'COUNTERSIGN_TOKEN must be',
    );
    // A failed start releases the home.
    await open();
  });

  it.skipIf(process.platform !== 'linux')(
    '[SAFE1.5] without a sandbox, the log names the processes whose environment exposes the token',
    async () => {
      const shown = (): string[] => said.filter((line) => line.startsWith('COUNTERSIGN_TOKEN can be read'));
      const holder = spawn('cat', { env: { PATH: process.env['PATH'], ANY_NAME: OWN_TOKEN } });
      try {
        await once(holder, 'spawn');
        const home = await open({ env: { COUNTERSIGN_TOKEN: OWN_TOKEN }, sandbox: NONE });
        expect(shown()).toEqual([expect.stringContaining(`${holder.pid} cat`)]);
        await home.close();
        opened = [];
      } finally {
        holder.kill();
        await once(holder, 'close');
      }
      said = [];
      await open({ env: { COUNTERSIGN_TOKEN: OWN_TOKEN }, sandbox: NONE });
      expect(shown()).toEqual([]);
    },
  );

  it('[WHO1.6] from COUNTERSIGN_TOKEN must have at least 32 characters, and an invalid one changes nothing', async () => {
    const before = await open();
    const refused = reopen(before, { env: { COUNTERSIGN_TOKEN: OWN_TOKEN.slice(0, 31) } });
    await expect(refused).rejects.toThrow('COUNTERSIGN_TOKEN has 31 characters, but needs at least 32.');
    expect(await readFile(join(folder, 'home', 'token'), 'utf8')).toBe(`${before.token.value}\n`);
    expect((await open({ env: { COUNTERSIGN_TOKEN: OWN_TOKEN.slice(0, 32) } })).token.value).toHaveLength(32);
  });
});

describe('a home', () => {
  it('[STORE4] has one owner at a time', async () => {
    const first = await open();
    await expect(open()).rejects.toMatchObject({ code: 'store-locked' });
    await reopen(first);
  });

  it('rejects an unusable folder with a clear message', async () => {
    await writeFile(join(folder, 'file'), '');
    for (const home of ['', 'relative', join(folder, 'file'), join(folder, 'file', 'deeper')])
      await expect(open({ home })).rejects.toThrow(/can't be used as the home folder .* Choose another/);
    await expect(open({ env: { DATABASE_URL: 'mysql://x' } })).rejects.toThrow('DATABASE_URL must begin with postgres');
    await open();
  });

  it('[RULE1.3] reads the administrator’s rules from a file that no world can change, and does not start if it is unreadable', async () => {
    await mkdir(join(folder, 'home'));
    await writeFile(join(folder, 'home', 'admin.rules'), '# ours\n\nallow nonsense(\n');
    await expect(open()).rejects.toThrow(/admin\.rules, line 3, character 16: /);
    const named = join(folder, 'named.rules');
    await expect(open({ env: { COUNTERSIGN_POLICY_FILE: named } })).rejects.toThrow(/named\.rules .* does not exist/);
    await writeFile(named, 'deny *\n  nonsense\n');
    await expect(open({ env: { COUNTERSIGN_POLICY_FILE: named } })).rejects.toThrow(
      /named\.rules, line 2, character 3: /,
    );
    await writeFile(join(folder, 'home', 'admin.rules'), '# ours\n\ndeny shell_cmd\n');
    await open();
  });

  it('[EXT1.17] reads the limits of programs outside from the administrator’s file', async () => {
    await mkdir(join(folder, 'home'), { recursive: true });
    const file = join(folder, 'home', 'admin.rules');
    const defaults = { callsPerMinute: 120, megabytesPerHour: 50 };
    await writeFile(file, '# limit external to 9 calls a minute\ndeny shell_cmd\n');
    const first = await open();
    expect(first.externalLimits).toEqual(defaults);
    await first.close();
    await writeFile(file, 'limit external to 7 calls a minute\ndeny shell_cmd\n  limit external to 900 MB an hour\n');
    const second = await open();
    expect(second.externalLimits).toEqual({ callsPerMinute: 7, megabytesPerHour: 900 });
    await second.close();
  });

  it('[SAFE2.3] reads programs that admins may run from the administrator’s file', async () => {
    await mkdir(join(folder, 'home'), { recursive: true });
    const file = join(folder, 'home', 'admin.rules');
    await writeFile(file, 'let admins run gemini --acp\ndeny shell_cmd\n  let admins run A=b /opt/x  \n');
    const home = await open();
    expect(home.engine.runtime.options.listedPrograms).toEqual([
      ['gemini', '--acp'],
      ['A=b', '/opt/x'],
    ]);
  });

  it('[WHO1.9] reads how long sessions last from the administrator’s file', async () => {
    await mkdir(join(folder, 'home'), { recursive: true });
    const file = join(folder, 'home', 'admin.rules');
    const hours = (count: number) => count * 60 * 60 * 1000;
    await writeFile(file, 'end sessions after 8 hours without use\ndeny shell_cmd\nend sessions after 30 days\n');
    const home = await open();
    expect(home.sessionLifetimes).toEqual({ idleMs: hours(8), mostMs: hours(30 * 24) });
  });

  it('[PUSH2] [PUSH3.6] [HOOK2] reads push services, hosts for webhooks and who is told later from the administrator’s file', async () => {
    await mkdir(join(folder, 'home'), { recursive: true });
    const file = join(folder, 'home', 'admin.rules');
    const lines = ['send pushes to Push.example.com:8443', 'deny shell_cmd', '  send pushes to 10.0.0.7:443'];
    await writeFile(
      file,
      [
        ...lines,
        'send webhooks to Hooks.internal:8080',
        'tell @führung after 1 minute',
        'tell @leads after 30 minutes',
        'tell @constructor after 2 minutes',
        '',
      ].join('\n'),
    );
    const home = await open();
    expect(home.webhookHosts).toEqual(['hooks.internal:8080']);
    expect(home.pushServices).toEqual(['push.example.com:8443', '10.0.0.7:443']);
    expect(home.tellAfter).toEqual({ führung: 60_000, leads: 30 * 60_000, constructor: 2 * 60_000 });
  });

  it('[RULE1.3] [WHO1.9] names the form of a setting in the administrator’s file, and the values that it can have', async () => {
    await mkdir(join(folder, 'home'), { recursive: true });
    const file = join(folder, 'home', 'admin.rules');
    const shown = (first: string, forms: string) => `a line that starts with "${first}" must have the form ${forms}`;
    const sessions = shown(
      'end',
      '"end sessions after N hours", "end sessions after N days", "end sessions after N hours without use" or "end sessions after N days without use"',
    );
    const admins = shown('let', '"let admins run COMMAND"');
    const limits = shown('limit', '"limit external to N calls a minute" or "limit external to N MB an hour"');
    const pushes = shown('send', '"send pushes to HOST:PORT" or "send webhooks to HOST:PORT"');
    const telling = shown('tell', '"tell @GROUP after N minutes"');
    const wrong = { '0 days': 180, '400 days': 180, '4321 hours': 180, '31 days without use': 30 };
    for (const [line, problem] of [
      ['end sessions after 8 weeks', sessions],
      ['let admins run', admins],
      ['let everybody run x', admins],
      ['limit external to none', limits],
      ['send pushes to push.example.com', pushes],
      ['send pushes to https://push.example.com:443', pushes],
      ['tell leads after 5 minutes', telling],
      ['tell @leads after soon', telling],
      ['tell @leads after 0 minutes', 'the time must be from 1 minute to 7 days'],
      ...Object.entries(wrong).map(([time, most]) => [
        `end sessions after ${time}`,
        `the time must be from 1 hour to ${most} days, because this file can only make sessions shorter`,
      ]),
    ]) {
      await writeFile(file, `deny shell_cmd\n  ${line}\n`);
      const detail = `${file}, line 2, character 3: ${problem}. Correct the line, then start again.`;
      await expect(open()).rejects.toThrow(detail);
    }
    await writeFile(file, 'end sessions after 48 hours\nend sessions after 2 days\nend sessions after 3 days\n');
    await expect(open()).rejects.toThrow(/line 3, character 1: an earlier line has another value for this\. /);
  });

  it('[LOG3] [SAFE1] keeps agents away from the key that signs audit heads', async () => {
    const key = join(await realpath(folder), 'audit.key');
    await writeFile(key, 'a key', { mode: 0o600 });
    await symlink(key, join(folder, 'link'));
    await open({ env: { COUNTERSIGN_AUDIT_KEY: join(folder, 'link') } });
    expect(isOwnFile(key)).toBe(true);
  });

  it('has the demo world with real files after the first run, and does not recreate it once deleted', async () => {
    const home = await open();
    await home.start();
    const worlds = (of: Home) => of.engine.runtime.store.read((reader) => reader.worlds());
    const [harbour] = await worlds(home);
    expect(harbour).toMatchObject({ id: 'harbour', name: 'Harbour', settings: { mainAgent: 'scout' } });
    expect(await readdir(join(folder, 'home-worlds', 'harbour', 'notes'))).toContain('crew.md');
    expect(await modeOf('home-worlds')).toBe('700');
    const again = await reopen(home);
    await again.start();
    expect(await worlds(again)).toHaveLength(1);
    await deleteWorld(again.engine.runtime, 'harbour', TESTER);
    const last = await reopen(again);
    await last.start();
    expect(await worlds(last)).toEqual([]);
  });

  it('completes a demo world that was interrupted', async () => {
    const home = await open();
    await createWorld(home.engine.runtime, { name: 'Harbour' }, TESTER);
    await home.start();
    const agents = await home.engine.runtime.store.read((reader) => reader.agents('harbour'));
    expect(agents.map(({ id }) => id)).toEqual(['scout', 'mason']);
  });

  it('lists the usable models, and never a key', async () => {
    const key = 'sk-not-a-key-at-all';
    const status = await (await open({ env: { OPENAI_API_KEY: key } })).providers.list();
    expect(JSON.stringify(status)).not.toContain(key);
    expect(status.filter(({ available }) => available).map(({ id }) => id)).toEqual(['scripted', 'openai']);
    expect(status.find(({ id }) => id === 'openai')).toMatchObject({
      source: 'environment',
      variable: 'OPENAI_API_KEY',
      hasKey: true,
    });
    expect(status.find(({ id }) => id === 'ollama')?.available).toBe(false);
  });

  it('[HTTP4.1] lists providers that a program added, and agents can use exactly those and acp', async () => {
    const own = { name: 'house', generate: () => Promise.reject(new Error('not called in this test')) };
    const home = await open({ providers: [own] });
    const names = (await home.providers.list()).map(({ id }) => id);
    expect(names).toEqual(['scripted', 'anthropic', 'openai', 'google', 'ollama', 'house']);
    await createWorld(home.engine.runtime, { name: 'Docks' }, TESTER);
    const add = async (name: string, provider: string) =>
      await addAgent(home.engine.runtime, 'docks', { name, provider, model: 'any' }, TESTER);
    for (const name of names) await add(`Agent ${name}`, name);
    const detail = `There is no provider "hous". Did you mean "house"? Known: ${[...names, 'acp'].join(', ')}.`;
    await expect(add('Ada', 'hous')).rejects.toThrow(detail);
  });
});

it('[STORE4] rejects a home that is in use, and names the command and process that use it', async () => {
  const home = await open({ command: 'countersign chat' });
  const words = `The home folder ${home.folder} is in use by "countersign chat" (pid ${process.pid}). Wait for it to end, stop it`;
  await expect(open()).rejects.toMatchObject({
    code: 'store-locked',
    message: expect.stringContaining(words) as string,
  });
  await home.close();
  opened = [];
  expect(existsSync(join(home.folder, 'owner.json'))).toBe(false);
  await open();
  await expect(open()).rejects.toThrow(`is in use by another process (pid ${process.pid}).`);
});

it('[WHO1] rejects a home whose lock can’t be opened, with a clear message', async () => {
  const closed = join(folder, 'closed');
  // A folder instead of a file, because permissions would not stop root.
  await mkdir(join(closed, 'lock'), { recursive: true });
  const opening = open({ home: closed });
  await expect(opening).rejects.toMatchObject({
    code: 'invalid',
    message: `The folder "${closed}" can't be used as the home folder (its lock file can't be opened). Choose another with --home or COUNTERSIGN_HOME.`,
  });
});

describe('working folders', () => {
  it('[SAFE1.1] are rejected if they contain our home or are inside it, even through a link', async () => {
    const { workFolders, folder: home } = await open();
    await mkdir(join(home, 'inside'));
    await mkdir(join(folder, 'fine'));
    await symlink(join(home, 'inside'), join(folder, 'fine', 'link'));
    await symlink(folder, join(folder, 'fine', 'up'));
    for (const wrong of [
      home,
      join(home, 'inside'),
      folder,
      '/',
      join(folder, 'fine', 'link'),
      join(folder, 'fine', 'up'),
    ])
      expect(() => workFolders.check(wrong)).toThrow('which agents must not reach');
    for (const wrong of ['relative', join(folder, 'nowhere'), join(home, 'lock')])
      expect(() => workFolders.check(wrong)).toThrow('working folder');
    expect(workFolders.check(join(folder, 'fine'))).toBe(join(folder, 'fine'));
    expect(workFolders.check(workFolders.own('any'))).toBe(join(folder, 'home-worlds', 'any'));
  });

  it('[SAFE1.3] a call is rejected if the folder was later replaced by a link into our home', async () => {
    const home = await open();
    await home.start();
    const { runtime } = home.engine;
    await mkdir(join(folder, 'work'));
    await updateWorld(runtime, 'harbour', { workingDirectory: join(folder, 'work') }, TESTER, MAY_ALL);
    await rm(join(folder, 'work'), { recursive: true });
    await symlink(home.folder, join(folder, 'work'));
    const { id: chatId } = await createChat(runtime, 'harbour');
    await publishMessage(runtime, { worldId: 'harbour', chatId, speaker: 'human', content: 'Please tidy the notes.' });
    await home.engine.quiet();
    const messages = await runtime.store.read((reader) => reader.messages(chatId, { after: 0, limit: 100 }));
    expect(messages.some(({ role, content }) => role === 'tool' && content.includes('crew'))).toBe(false);
    expect(JSON.stringify(messages)).toContain('which agents must not reach');
  });
});
