import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  addAgent,
  awaitExternal,
  coveredCalls,
  deleteChat,
  endExternalSession,
  exportWorld,
  fetchExternal,
  findExternal,
  importWorld,
  listMessages,
  publishMessage,
  removeAgent,
  setPolicy,
  stopChat,
  turnTimeline,
  updateWorld,
} from '@countersign/core';
import { createFakeClock, type FakeClock } from '@countersign/core/testing';
import type { ToolEvent } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { asked, caller, externalWorlds, W } from './testing/external-worlds.js';
import { freshFolder } from './testing/fresh-folder.js';
import { person } from './testing/test-engine.js';

// Registered first, so that the folder is removed after its engines are closed.
const inFolder = freshFolder();
const { open, close } = externalWorlds();

const typesOf = (events: readonly ToolEvent[], id: string) =>
  events.filter((event) => event.invocation_id === id).map(({ type }) => type);

describe('a call of an external program', () => {
  it('[EXT1] [EXT1.2] [CALL7.6] [SAFE1.6] waits for a person, starts when it is claimed, and ends with the reported result', async () => {
    const t = await open();
    const { id, chatId } = await t.propose();
    expect(await t.claim(id)).toMatchObject({
      state: 'pending',
      approvalId: expect.stringMatching(/^approval_/) as string,
    });
    const [card] = await t.pending();
    expect(card).toMatchObject({
      toolName: 'claude__Bash',
      arguments: { command: 'rm -rf build' },
      workingDirectory: '/home/ada/project',
      sandbox: { kind: 'external', detail: 'Claude Code' },
    });
    expect(await t.decide(card)).toMatchObject({ kind: 'recorded' });
    // A decision alone starts nothing.
    expect(typesOf(t.events, id)).toEqual(['TOOL_APPROVAL_REQUESTED', 'TOOL_APPROVED']);
    const allowed = { state: 'allowed', arguments: { command: 'rm -rf build' }, edited: false };
    expect(await t.claim(id)).toEqual(allowed);
    expect(await t.claim(id)).toEqual(allowed);
    expect(typesOf(t.events, id)).toEqual(['TOOL_APPROVAL_REQUESTED', 'TOOL_APPROVED', 'TOOL_EXECUTION_STARTED']);
    await t.report(id, { content: 'gone' });
    await t.engine.quiet();
    expect(t.events.at(-1)).toMatchObject({ type: 'TOOL_EXECUTION_SUCCEEDED', result: 'gone' });
    expect(await t.claim(id)).toEqual({ state: 'ended' });
    const { turnId } = (await t.call(id)) ?? { turnId: '' };
    const timeline = await turnTimeline(t.runtime, W, chatId, turnId);
    expect(timeline.spans.map(({ kind, label }) => [kind, label])).toEqual([
      ['waiting', 'claude__Bash'],
      ['tool', 'claude__Bash'],
    ]);
    expect(timeline.endedAt).toBeDefined();
    const chat = await t.runtime.store.read((reader) => reader.chat(chatId));
    expect(chat).toMatchObject({ title: 'Claude Code in ~/project', status: 'idle' });
    const messages = await listMessages(t.runtime, chatId, {});
    expect(messages.map(({ role }) => role)).toEqual(['assistant', 'assistant', 'tool', 'tool']);
    const audit = await t.runtime.store.read((reader) => reader.lastAudit(W, { limit: 3 }));
    expect(audit.map(({ kind, decision }) => [kind, decision])).toEqual([
      ['outcome', 'succeeded'],
      ['run', undefined],
      ['decision', 'approve'],
    ]);
  });

  it('[EXT1.1] [CALL8] the same call with the same key is written once; another call with that key is refused', async () => {
    const t = await open();
    const [one, two] = await Promise.all([t.propose(), t.propose()]);
    expect(two).toEqual(one);
    expect(await t.propose()).toEqual(one);
    expect(await t.pending()).toHaveLength(1);
    await expect(t.propose({ command: 'ls' })).rejects.toMatchObject({ code: 'conflict', field: 'key' });
    // An edit by a person doesn't make it another call.
    await t.approve({ arguments: { command: 'rm -r build' } });
    expect(await t.propose()).toEqual(one);
    await t.approve();
    expect(await t.claim(one.id)).toEqual({ state: 'allowed', arguments: { command: 'rm -r build' }, edited: true });
    await t.report(one.id, { content: '' });
    await t.engine.quiet();
    expect(await t.propose()).toEqual(one);
    expect(await t.claim(one.id)).toEqual({ state: 'ended' });
  });

  it('[EXT1.1] calls of one session wait side by side, and each session has its own chat', async () => {
    const t = await open();
    const calls = await Promise.all([
      t.propose({ key: 'a', command: 'rm a' }),
      t.propose({ key: 'b', command: 'rm b' }),
      t.propose({ key: 'c', command: 'rm c' }),
    ]);
    const other = await t.propose({ session: 's2', key: 'a', command: 'rm a' });
    expect(new Set(calls.map(({ chatId }) => chatId)).size).toBe(1);
    expect(other.chatId).not.toBe(calls[0]?.chatId);
    const cards = await t.pending();
    expect(cards).toHaveLength(4);
    const find = (id: string | undefined) => cards.find(({ toolCallId }) => toolCallId === id);
    await t.decide(find(calls[1]?.id));
    await t.decide(find(calls[2]?.id), { decision: 'deny', reason: 'not this one' });
    expect(await t.claim(calls[0]?.id ?? '')).toMatchObject({ state: 'pending' });
    expect(await t.claim(calls[1]?.id ?? '')).toMatchObject({ state: 'allowed' });
    const denied = await t.claim(calls[2]?.id ?? '');
    expect(denied).toEqual({ state: 'denied', reason: expect.stringContaining('not this one') as string });
    await t.decide(find(calls[0]?.id));
    expect(await t.claim(calls[0]?.id ?? '')).toMatchObject({ state: 'allowed' });
  });

  it('[CALL9] [EXT1.1] waits over a restart', async () => {
    const file = inFolder(`${crypto.randomUUID()}.sqlite`);
    const clock: FakeClock = createFakeClock();
    const before = await open({}, file, clock);
    const { id } = await before.propose();
    const ready = await before.propose({ key: 'k2', command: 'ls' });
    await before.decide((await before.pending()).find(({ toolCallId }) => toolCallId === ready.id));
    await close(before);
    const t = await open({}, file, clock);
    expect(await t.claim(ready.id)).toMatchObject({ state: 'allowed', arguments: { command: 'ls' } });
    expect((await t.propose()).id).toBe(id);
    expect(await t.claim(id)).toMatchObject({ state: 'pending' });
    await t.approve();
    expect(await t.claim(id)).toMatchObject({ state: 'allowed' });
  });

  it('[EXT1.2] [CALL8] a call that a rule allows starts in the step that writes it, also if the answer is lost', async () => {
    const file = inFolder(`${crypto.randomUUID()}.sqlite`);
    const before = await open({ policy: ['allow claude__Bash(ls)'] }, file);
    const { id } = await before.propose({ command: 'ls' });
    expect(await before.call(id)).toMatchObject({ status: 'started' });
    expect(typesOf(before.events, id)).toEqual(['TOOL_EXECUTION_STARTED']);
    await close(before);
    const t = await open({}, file);
    expect(await t.propose({ command: 'ls' })).toMatchObject({ id });
    expect(await t.claim(id)).toEqual({ state: 'allowed', arguments: { command: 'ls' }, edited: false });
    await expect(t.propose({ command: 'pwd' })).rejects.toMatchObject({ code: 'conflict' });
  });

  it('[EXT1.2] [CALL2.1] a rule that is written after the approval still refuses the call', async () => {
    const t = await open();
    const { id } = await t.propose();
    await t.approve();
    await setPolicy(t.runtime, W, ['deny claude__Bash(rm *)'], person);
    expect(await t.claim(id)).toMatchObject({
      state: 'denied',
      reason: expect.stringContaining('deny claude__Bash(rm *)') as string,
    });
    expect(typesOf(t.events, id)).toEqual(['TOOL_APPROVAL_REQUESTED', 'TOOL_APPROVED', 'TOOL_DENIED']);
  });

  it.each([
    ['credential', { credential: 'token 2' }],
    ['claim', { claim: 'claim 2' }],
  ])('[EXT1.16] another %s can neither claim, wait for, fetch nor report the call', async (_, other) => {
    const t = await open({ policy: ['allow claude__Bash(ls)'] });
    const { id } = await t.propose({ command: 'ls' });
    const theirs = { caller: { ...caller, ...other } };
    const conflict = { code: 'conflict' };
    await expect(t.claim(id, theirs)).rejects.toMatchObject(conflict);
    await expect(fetchExternal(t.runtime, asked(id, theirs))).rejects.toMatchObject(conflict);
    await expect(t.report(id, { content: 'forged' }, theirs)).rejects.toMatchObject(conflict);
    await expect(t.propose({ command: 'ls', from: theirs.caller })).rejects.toMatchObject(conflict);
    expect(await t.claim(id)).toMatchObject({ state: 'allowed' });
    await t.report(id, { content: 'seen' });
    expect(await t.call(id)).toMatchObject({ result: expect.stringContaining('seen') as string });
  });

  it('[SIGN1.6] [EXT1.16] two people with the same session never share a chat or a turn, and each call names its requester', async () => {
    const t = await open();
    const bob = { who: { kind: 'person', id: 'bob', name: 'Bob' }, via: 'http' } as const;
    const one = await t.propose();
    const other = await t.propose({ key: 'k2', from: { ...caller, by: bob, credential: 'token 2' } });
    expect(other.chatId).not.toBe(one.chatId);
    const audit = await t.runtime.store.read((reader) => reader.lastAudit(W, { limit: 50 }));
    const asking = audit
      .filter(({ kind }) => kind === 'request')
      .map(({ invocationId, requester }) => [invocationId, requester]);
    expect(new Map(asking as [string, unknown][])).toEqual(
      new Map<string, unknown>([
        [one.id, person.who],
        [other.id, bob.who],
      ]),
    );
  });

  it('[EXT1.7] stopping or deleting the chat, or removing the agent, is a no', async () => {
    const t = await open();
    const stopped = await t.propose();
    const { signal } = new AbortController();
    const waiting = awaitExternal(t.runtime, asked(stopped.id), { waitMs: 60_000, signal });
    await stopChat(t.runtime, W, stopped.chatId, person);
    expect(await waiting).toMatchObject({ state: 'denied', reason: expect.stringContaining('stopped') as string });
    const deleted = await t.propose({ key: 'k2' });
    await deleteChat(t.runtime, W, deleted.chatId, person);
    await expect(t.claim(deleted.id)).rejects.toMatchObject({ code: 'not-found' });
    const removed = await t.propose({ key: 'k3' });
    await t.approve();
    await removeAgent(t.runtime, W, 'claude', person);
    expect(await t.claim(removed.id)).toMatchObject({ state: 'denied' });
    await expect(t.propose({ key: 'k4' })).rejects.toMatchObject({ code: 'not-found' });
  });

  it('[EXT1.6] [CALL6] is not claimed or found by another agent', async () => {
    const t = await open();
    const { id } = await t.propose();
    await t.approve();
    await expect(t.claim(id, { agentId: 'other' })).rejects.toMatchObject({ code: 'not-found' });
    await expect(findExternal(t.runtime, asked(id, { worldId: 'elsewhere' }))).rejects.toMatchObject({
      code: 'not-found',
    });
    expect(await t.propose({ agentId: 'other' })).not.toEqual({ id });
    expect(await t.claim(id)).toMatchObject({ state: 'allowed' });
  });

  it('[EXT1.3] [TURN4.1] ends as not reported, which neither fails nor needs approval next time', async () => {
    const t = await open();
    const { id } = await t.propose();
    await t.approve({ scope: 'session' });
    expect(await t.claim(id)).toMatchObject({ state: 'allowed' });
    t.clock.advance(59 * 60_000);
    await t.engine.quiet();
    expect((await t.call(id))?.status).toBe('started');
    t.clock.advance(60_000);
    await expect.poll(async () => (await t.call(id))?.status).toBe('succeeded');
    expect(t.events.at(-1)).toMatchObject({ type: 'TOOL_EXECUTION_SUCCEEDED', outcome: 'not-reported' });
    const again = await t.propose({ key: 'again' });
    expect(await t.claim(again.id)).toMatchObject({ state: 'allowed' });
    await endExternalSession(t.runtime, W, { agentId: 'claude', session: 's1' }, person);
    expect(await t.claim(again.id)).toEqual({ state: 'ended' });
    await expect(t.report(again.id, { content: 'late' })).rejects.toMatchObject({ code: 'conflict' });
  });

  it('[EXT1.3] a result is recorded once, and only for a call that was allowed', async () => {
    const t = await open();
    const { id } = await t.propose();
    const report = async (result: { content?: string; error?: string }) => await t.report(id, result);
    await expect(report({ content: 'early' })).rejects.toMatchObject({ code: 'conflict' });
    await t.approve();
    await expect(report({ content: 'unclaimed' })).rejects.toMatchObject({ code: 'conflict' });
    await t.claim(id);
    await report({ error: 'exit code 1' });
    await report({ error: 'exit code 1' });
    await expect(report({ content: 'fine' })).rejects.toMatchObject({ code: 'conflict' });
    expect(t.events.at(-1)).toMatchObject({ type: 'TOOL_EXECUTION_FAILED', error: 'exit code 1' });
  });

  it('[EXT1.18] a long command leaves room for others between being read, inspected and judged', async () => {
    const t = await open();
    const ticksWhile = async (key: string, command: string): Promise<number> => {
      let isOver = false;
      let ticks = 0;
      const tick = (): void => {
        ticks += 1;
        if (!isOver) setImmediate(tick);
      };
      setImmediate(tick);
      await t.propose({ key, command });
      isOver = true;
      return ticks;
    };
    const short = await ticksWhile('short', 'ls a1');
    const lines = Array.from({ length: 1_900 }, (_, at) => `ls a${at}`).join('\n');
    expect(await ticksWhile('long', lines)).toBeGreaterThanOrEqual(short + 2);
  });

  it('[EXT1.3] a restart keeps the time limit of a call that is running outside', async () => {
    const file = inFolder(`${crypto.randomUUID()}.sqlite`);
    const clock = createFakeClock();
    const before = await open({ policy: ['allow claude__Bash(ls)'] }, file, clock);
    const { id } = await before.propose({
      command: 'ls',
      runs: { where: 'program', cwd: '/home/ada/project', reports: false },
    });
    expect(await before.claim(id)).toMatchObject({ state: 'allowed' });
    await close(before);
    const t = await open({}, file, clock);
    expect(await t.claim(id)).toMatchObject({ state: 'allowed' });
    clock.advance(60_000);
    await expect.poll(async () => (await t.call(id))?.status).toBe('succeeded');
  });
});

describe('rules', () => {
  const inRoot = { findPlace: () => ({ workingDirectory: '/', home: '/root' }) };
  it('[EXT1.4] [EXT1.5] an allow rule for the tool itself allows the exact command; one for shell_cmd does not', async () => {
    const t = await open({
      policy: ['allow shell_cmd(git status)', 'allow claude__Bash(ls)', 'allow claude__Bash(cat *)'],
    });
    const claimed = async (command: string) => (await t.claim((await t.propose({ key: command, command })).id)).state;
    expect(await claimed('git status')).toBe('pending');
    expect(await claimed('ls')).toBe('allowed');
    expect(await claimed('ls -la')).toBe('pending');
    expect(await claimed('cat a')).toBe('pending');
    expect(await claimed('ls; rm a')).toBe('pending');
  });

  it.each([
    ['deny shell_cmd(git push *)', 'claude__Bash', { command: 'git -C /x push --force' }],
    ['deny shell_cmd(git push)', 'codex__shell', { command: ['bash', '-lc', 'git push'] }],
    ['deny read_file(~/.ssh/**)', 'claude__Read', { file_path: '/root/.ssh/id_rsa' }],
    ['deny read_file(path=secret.txt)', 'claude__Read', { file_path: 'secret.txt' }],
    ['deny write_file(./.env)', 'claude__Write', { file_path: '.env', content: 'x' }],
    ['deny edit_file(./.env)', 'codex__apply_patch', { input: '*** Begin Patch\n*** Update File: .env\n' }],
    ['deny grep(/etc/**)', 'claude__Grep', { pattern: 'x', path: '/etc/ssl' }],
    ['deny web_fetch(evil.example)', 'claude__WebFetch', { url: 'https://evil.example/x', prompt: 'read' }],
    ['deny list_files(/etc/**)', 'claude__Glob', { pattern: '/etc/*.key', path: 'src' }],
    ['deny list_files(/etc/**)', 'claude__Glob', { pattern: '../../../etc/ssl/*' }],
    ['deny read_file(/etc/**)', 'claude__Read', { file_path: ' /etc/shadow' }],
    ['deny shell_cmd', 'claude__Bash', { command: { text: 'rm a' } }],
    ['deny edit_file', 'codex__apply_patch', { input: 'no patch' }],
  ])('[EXT1.5] %s holds for %s', async (rule, toolName, args) => {
    const t = await open({ policy: [rule, `allow ${toolName}`] });
    const { id } = await t.propose({ toolName, arguments: args });
    expect(await t.claim(id)).toMatchObject({ state: 'denied', reason: expect.stringContaining(rule) as string });
  });

  it.each<[string, string, Record<string, unknown>, string?]>([
    ['claude__Read(./**)', 'a path in the home folder', { file_path: '~/.ssh/id_rsa' }],
    ['claude__Read(./**)', 'a path that is trimmed', { file_path: ' /etc/shadow' }],
    ['claude__Glob(./**)', 'a glob elsewhere', { pattern: '/etc/*' }],
    ['claude__Glob(./**)', 'a glob with several folders', { pattern: '{src,/etc}/*' }],
    ['claude__Glob(./**)', 'a glob that climbs', { pattern: '*/../../*' }],
    ['codex__exec_command(ls)', 'two commands', { command: 'ls', cmd: 'rm -rf a' }],
    ['claude__Grep(./**)', 'a search in a folder with a denied file', { pattern: 'x', path: '.' }, 'deny *(./.env)'],
  ])('[EXT1.8] allow %s does not cover %s', async (covered, _, args, other = 'deny look') => {
    const t = await open({ policy: [`allow ${covered}`, other] });
    const { id } = await t.propose({ toolName: covered.replace(/\(.*/, ''), arguments: args });
    expect(await t.claim(id)).toMatchObject({ state: 'pending' });
  });

  it('[EXT1.19] no rule or grant allows a call with an argument that rules don’t cover', async () => {
    const t = await open({ policy: ['allow claude__Bash(ls)', 'deny shell_cmd(rm *)'] });
    const state = async (key: string, args: Record<string, unknown>) =>
      (await t.claim((await t.propose({ key, arguments: args })).id)).state;
    expect(await state('k1', { command: 'ls', description: 'List files', timeout: 1_000 })).toBe('allowed');
    expect(await state('k2', { command: 'ls', dangerouslyDisableSandbox: true })).toBe('pending');
    expect((await t.pending())[0]).toMatchObject({ options: ['deny', 'approve_once'] });
    expect(await state('k3', { command: 'rm a', dangerouslyDisableSandbox: true })).toBe('denied');
  });

  it('[EXT1.8] allow rules cover globs and paths in their folder', async () => {
    const policy = ['allow claude__Glob(./**)', 'allow claude__Read(./**)'];
    const t = await open({ policy });
    const claimed = async (toolName: string, args: Record<string, unknown>) =>
      (await t.claim((await t.propose({ key: JSON.stringify(args), toolName, arguments: args })).id)).state;
    expect(await claimed('claude__Glob', { pattern: 'src/**/*.{ts,tsx}' })).toBe('allowed');
    expect(await claimed('claude__Glob', { pattern: '/home/ada/project/src/*' })).toBe('allowed');
    expect(await claimed('claude__Read', { file_path: '/home/ada/project/a' })).toBe('allowed');
  });

  it('[EXT1.5] a program that works in another folder does not escape rules about the world’s folder', async () => {
    const policy = ['deny read_file(./secrets/**)', 'deny claude__Read(./a/.env)', 'allow claude__Read'];
    const t = await open({ policy }, ':memory:', undefined, inRoot);
    const claimed = async (file_path: string, cwd: string) => {
      const runs = { where: 'program', cwd, reports: true } as const;
      const key = `${file_path} in ${cwd}`;
      const { id } = await t.propose({ key, toolName: 'claude__Read', arguments: { file_path }, runs });
      return (await t.claim(id)).state;
    };
    for (const cwd of ['/', '/a', '/home/ada/project']) {
      expect(await claimed('/secrets/key', cwd)).toBe('denied');
      expect(await claimed('/a/.env', cwd)).toBe('denied');
      expect(await claimed('/a/secrets.ts', cwd)).toBe('allowed');
    }
    expect(await claimed('secrets/key', '/home/ada/project')).toBe('denied');
  });

  it('[EXT1.8] a rule about a folder holds for new files behind a link to it', async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'countersign-link-')));
    await mkdir(join(folder, 'secrets'));
    await symlink('secrets', join(folder, 'public'));
    const t = await open({ policy: [`deny write_file(${folder}/secrets/**)`, 'allow claude__Write'] });
    const args = { file_path: join(folder, 'public', 'new', 'key'), content: '' };
    const { id } = await t.propose({ toolName: 'claude__Write', arguments: args });
    expect(await t.claim(id)).toMatchObject({ state: 'denied' });
    await rm(folder, { recursive: true });
  });

  it('[EXT1.1] [CALL7.6] the same command in another folder is another call', async () => {
    const t = await open();
    await t.propose();
    await t.propose();
    const runs = { where: 'program', cwd: '/', reports: true } as const;
    await expect(t.propose({ runs })).rejects.toThrow('another call was already proposed with this key');
  });

  it('[EXT1.5] ask rules hold too, and a path rule makes each command need approval', async () => {
    const t = await open({ policy: ['ask shell_cmd(git push)', 'allow claude__Bash'] });
    const pushed = await t.propose({ command: 'git push' });
    expect(await t.claim(pushed.id)).toMatchObject({ state: 'pending' });
    expect((await t.pending())[0]?.reason).toMatchObject({ code: 'ask-rule', rule: 'ask shell_cmd(git push)' });
    await setPolicy(t.runtime, W, ['deny shell_cmd(./.env)', 'allow claude__Bash(ls)'], person);
    const listed = await t.propose({ key: 'k2', command: 'ls' });
    expect(await t.claim(listed.id)).toMatchObject({ state: 'pending' });
  });

  it('[EXT1.4] [RULE2] mode auto never covers it, mode read refuses it, and unattended denies it', async () => {
    const t = await open({ mode: 'auto' });
    expect(await t.claim((await t.propose({ command: 'ls' })).id)).toMatchObject({ state: 'pending' });
    await updateWorld(t.runtime, W, { mode: 'read' }, person);
    expect(await t.claim((await t.propose({ key: 'k2', command: 'ls' })).id)).toMatchObject({ state: 'denied' });
    await updateWorld(t.runtime, W, { mode: 'ask', unattended: 'deny' }, person);
    expect(await t.claim((await t.propose({ key: 'k3', command: 'ls' })).id)).toMatchObject({ state: 'denied' });
  });

  it('[CALL5] [EXT1.4] “always” writes a rule for the tool, and a session grant covers the session only', async () => {
    const t = await open();
    const { id } = await t.propose({ command: 'git status' });
    const [card] = await t.pending();
    expect(card?.proposedRule).toBe('allow claude__Bash(git status)');
    await t.decide(card, { scope: 'always' });
    expect(await t.claim(id)).toMatchObject({ state: 'allowed' });
    const other = await t.propose({ session: 's2', command: 'git status' });
    expect(await t.claim(other.id)).toMatchObject({ state: 'allowed' });
    await t.propose({ key: 'k2', command: 'ls' });
    await t.approve({ scope: 'session' });
    expect(await t.claim((await t.propose({ key: 'k3', command: 'ls' })).id)).toMatchObject({ state: 'allowed' });
    const elsewhere = await t.propose({ session: 's2', key: 'k3', command: 'ls' });
    expect(await t.claim(elsewhere.id)).toMatchObject({ state: 'pending' });
  });

  it('[EXT1.20] “always” is offered for a command in the world’s folder only, and its rule holds only there', async () => {
    const t = await open();
    const claimed = async (key: string, cwd?: string, realCwd?: string) => {
      const folder = { ...(cwd === undefined ? {} : { cwd }), ...(realCwd === undefined ? {} : { realCwd }) };
      const { id } = await t.propose({
        key,
        command: 'npm test',
        runs: { where: 'program', reports: true, ...folder },
      });
      return (await t.claim(id)).state;
    };
    expect(await claimed('elsewhere', '/home/ada/other')).toBe('pending');
    const [elsewhere] = await t.pending();
    expect(elsewhere).toMatchObject({ options: ['deny', 'approve_once', 'approve_session'] });
    expect(elsewhere?.proposedRule).toBeUndefined();
    expect(await t.decide(elsewhere, { scope: 'always', rule: 'allow claude__Bash(npm test)' })).toMatchObject({
      status: 422,
    });
    expect(await claimed('here', '/home/ada/project')).toBe('pending');
    const here = (await t.pending()).find(({ proposedRule }) => proposedRule !== undefined);
    expect(here?.proposedRule).toBe('allow claude__Bash(npm test)');
    await t.decide(here, { scope: 'always' });
    expect(await claimed('again', '/home/ada/project')).toBe('allowed');
    expect(await claimed('a link to the folder', '/home/ada/link', '/home/ada/project')).toBe('allowed');
    expect(await claimed('another folder', '/home/ada/other')).toBe('pending');
    expect(await claimed('a folder in it', '/home/ada/project/packages')).toBe('pending');
    expect(await claimed('a link to another folder', '/home/ada/link', '/home/ada/other')).toBe('pending');
    expect(await claimed('an unknown folder')).toBe('pending');
  });

  it('[CALL5.8] a session grant for a command outside the sandbox covers that command, and nothing wider is accepted', async () => {
    const t = await open();
    await t.propose({ command: 'ls -a' });
    const [card] = await t.pending();
    expect(card?.session).toEqual({ pattern: 'ls -a', any: false });
    for (const pattern of ['*', 'ls *', 'ls -a *', 'ls -a\n*', 'command=ls*, *'])
      expect(await t.decide(card, { scope: 'session', pattern })).toMatchObject({ status: 422 });
    await t.decide(card, { scope: 'session' });
    expect(await t.claim((await t.propose({ key: 'k2', command: 'ls -a' })).id)).toMatchObject({ state: 'allowed' });
    for (const [index, command] of ['ls -a ..', 'rm -rf ../x; sudo -n true', 'ls', 'ls -a; id'].entries()) {
      const { id } = await t.propose({ key: `wide${index}`, command });
      expect(await t.claim(id)).toMatchObject({ state: 'pending' });
    }
  });

  const inDocs = { findPlace: () => ({ workingDirectory: '/srv/docs', home: '/root' }) };

  it('[CALL5.8] [CALL5.9] a grant covers calls in the folder that it was given in, and `./` in it is the world’s', async () => {
    const t = await open({}, ':memory:', undefined, inDocs);
    const write = async (key: string, cwd: string, file_path: string) => {
      const runs = { where: 'program', cwd, reports: true } as const;
      const { id } = await t.propose({ key, toolName: 'claude__Write', arguments: { file_path, content: 'x' }, runs });
      return (await t.claim(id)).state;
    };
    expect(await write('k1', '/srv/docs', '/srv/docs/a')).toBe('pending');
    const [card] = await t.pending();
    expect(card?.session).toEqual({ pattern: './**', any: false });
    await t.decide(card, { scope: 'session' });
    expect(await write('k2', '/srv/docs', '/srv/docs/b')).toBe('allowed');
    expect(await write('k3', '/srv/keys', '/srv/keys/b')).toBe('pending');
    const [other] = await t.pending();
    expect(other?.session?.pattern).toBe('/srv/keys/b');
    expect(await t.decide(other, { scope: 'session', pattern: './**' })).toMatchObject({ status: 422 });
    await t.decide(other, { scope: 'session' });
    expect(await write('k4', '/srv/keys', '/srv/keys/b')).toBe('allowed');
    expect(await write('k5', '/srv/keys', '/srv/keys/c')).toBe('pending');
    expect(await write('k6', '/srv/docs/sub', '/srv/docs/b')).toBe('pending');
  });

  it('[CALL5.9] [CALL5.4] a grant neither covers nor releases the same command in another or an unknown folder', async () => {
    const t = await open({}, ':memory:', undefined, inDocs);
    const remove = async (key: string, cwd?: string) => {
      const runs = { where: 'program', reports: true, ...(cwd === undefined ? {} : { cwd }) } as const;
      return (await t.propose({ key, runs })).id;
    };
    const keys = await remove('k1', '/srv/keys');
    const again = await remove('k2', '/srv/keys');
    const docs = await remove('k3', '/srv/docs');
    const unknown = await remove('k4');
    const cardOf = async (id: string) => (await t.pending()).find(({ toolCallId }) => toolCallId === id);
    const card = await cardOf(keys);
    expect([card?.session?.folder, (await cardOf(docs))?.session?.folder]).toEqual(['/srv/keys', undefined]);
    const { chatId = '', agentId = '', toolName = '' } = card ?? {};
    const grant = { agentId, toolName, pattern: 'rm -rf build' };
    const waiting = async (folder?: string) => {
      const wanted = { chatId, grant: { ...grant, ...(folder === undefined ? {} : { folder }) } };
      return (await coveredCalls(t.runtime, W, wanted)).map(({ toolCallId }) => toolCallId);
    };
    expect(await waiting('/srv/keys')).toEqual([keys, again]);
    expect(await waiting()).toEqual([docs]);
    expect(await waiting('unknown')).toEqual([unknown]);
    await t.decide(card, { scope: 'session' });
    const states = async (...ids: string[]) => await Promise.all(ids.map(async (id) => (await t.claim(id)).state));
    expect(await states(keys, again, docs, unknown)).toEqual(['allowed', 'allowed', 'pending', 'pending']);
    expect(await states(await remove('k5', '/srv/keys'), await remove('k6', '/srv'))).toEqual(['allowed', 'pending']);
    await t.decide(await cardOf(unknown), { scope: 'session' });
    expect(await states(await remove('k7'), await remove('k8', '/srv/docs'))).toEqual(['allowed', 'pending']);
  });

  it('[EXT1.5] `./` in an allow rule is the world’s folder, whatever folder the program says it works in', async () => {
    const policy = ['allow claude__Write(./**)', 'allow claude__Read(file_path=./**, *)'];
    const t = await open({ policy }, ':memory:', undefined, inDocs);
    const claimed = async (toolName: string, file_path: string, cwd: string) => {
      const runs = { where: 'program', cwd, reports: true } as const;
      const key = `${toolName} ${file_path} ${cwd}`;
      return (await t.claim((await t.propose({ key, toolName, arguments: { file_path, content: '' }, runs })).id))
        .state;
    };
    for (const toolName of ['claude__Write', 'claude__Read']) {
      expect(await claimed(toolName, '/etc/passwd', '/etc')).toBe('pending');
      expect(await claimed(toolName, 'passwd', '/etc')).toBe('pending');
      expect(await claimed(toolName, './passwd', '/etc')).toBe('pending');
      expect(await claimed(toolName, '/srv/docs/a', '/srv/docs')).toBe('allowed');
      expect(await claimed(toolName, '/srv/docs/a', '/etc')).toBe('allowed');
      expect(await claimed(toolName, 'a', '/srv/docs/sub')).toBe('allowed');
    }
    const [card] = await t.pending();
    expect(card?.proposedRule).toBe('allow claude__Write(/etc/passwd)');
    expect(await t.decide(card, { scope: 'always', rule: 'allow claude__Write(./passwd)' })).toMatchObject({
      status: 422,
    });
  });

  it('[EXT1.11] an agent can start 500 sessions within an hour; the sessions it has go on', async () => {
    const t = await open();
    await t.propose();
    for (let session = 1; session < 500; session += 1) t.runtime.background.external.openSession(W, 'claude');
    await expect(t.propose({ session: 's2' })).rejects.toMatchObject({ code: 'too-many' });
    await t.propose({ key: 'k2' });
    await t.propose({ session: 's2', agentId: 'other' });
    expect(await t.pending()).toHaveLength(3);
    t.clock.advance(60 * 60_000);
    await t.propose({ session: 's2' });
    expect(await t.pending()).toHaveLength(4);
  });

  it('[CALL11] an expired approval is a no', async () => {
    const t = await open({ approvalTimeoutMs: 1000 });
    const { id } = await t.propose();
    t.clock.advance(1000);
    await expect.poll(async () => (await t.claim(id)).state).toBe('denied');
  });

  it('[TURN11.3] [TURN11.2] [EXT1] a call that nobody could read, or with a mask, is refused', async () => {
    const t = await open({ policy: ['allow claude__Bash'] });
    const hidden = t.propose({ command: `echo ${'\u200b'.repeat(20_001)}` });
    await expect(hidden).rejects.toMatchObject({ code: 'invalid', message: expect.stringContaining('read') as string });
    const masked = await t.propose({ key: 'k2', command: 'echo ‹masked›' });
    expect(await t.claim(masked.id)).toMatchObject({ state: 'denied' });
  });

  it('[SAFE6] secrets are masked for people, and the program gets its own arguments back', async () => {
    const t = await open();
    const command = 'curl -H "Authorization: Bearer sk-proj-a1B2c3D4e5F6g7H8i9J0k1L2" https://api.example';
    const { id } = await t.propose({ command });
    expect(JSON.stringify((await t.pending())[0]?.arguments)).not.toContain('c3D4e5F6');
    await t.approve();
    expect(await t.claim(id)).toMatchObject({ state: 'allowed', arguments: { command }, edited: false });
  });
});

describe('an external agent', () => {
  it('[EXT1] can also propose calls that run here, like those of a model', async () => {
    const t = await open({ policy: ['allow look'] });
    const here = { toolName: 'look', arguments: { at: 1 }, runs: { where: 'here' } } as const;
    const { id } = await t.propose(here);
    await t.engine.quiet();
    expect(t.ran).toEqual([{ at: 1 }]);
    expect((await t.call(id))?.status).toBe('succeeded');
    await t.propose(here);
    await t.engine.quiet();
    expect(t.ran).toHaveLength(1);
    // Neither side runs the other side's tools.
    for (const wrong of [
      { key: 'k2', toolName: 'look', arguments: {} },
      { key: 'k3', runs: { where: 'here' } as const },
    ]) {
      const refused = await t.propose(wrong);
      await t.engine.quiet();
      expect((await t.call(refused.id))?.status).toBe('failed');
    }
    expect(t.ran).toHaveLength(1);
  });

  it('[EXT1] [WORLD3.5] is never called as a model: a message gets a notice instead', async () => {
    const t = await open();
    const { chatId } = await t.propose();
    await publishMessage(t.runtime, { worldId: W, chatId, speaker: 'human', content: '@claude hello' });
    await t.engine.quiet();
    const last = (await listMessages(t.runtime, chatId, {})).at(-1);
    expect(last).toMatchObject({
      role: 'system',
      content: expect.stringContaining('answer messages here') as string,
    });
    expect(await t.pending()).toHaveLength(1);
  });

  it('[EXT1.4] no other agent can call the tools of a program', async () => {
    const t = await open();
    await addAgent(t.runtime, W, { name: 'Ada', provider: 'scripted', model: 'any', tools: ['*'] }, person);
    const { chatId } = await t.propose();
    const content = JSON.stringify([{ name: 'claude__Bash', arguments: { command: 'ls' } }]);
    await publishMessage(t.runtime, { worldId: W, chatId, speaker: 'human', content });
    await t.engine.quiet();
    expect(await t.pending()).toHaveLength(1);
    await expect(t.propose({ agentId: 'ada', key: 'k2' })).rejects.toMatchObject({ code: 'invalid', field: 'agent' });
  });

  it('[HTTP5.1] [EXT1.6] is exported and imported without a token', async () => {
    const t = await open();
    const file = await exportWorld(t.runtime, W);
    expect(file.agents[0]).toMatchObject({ name: 'Claude', provider: 'external', model: 'claude' });
    const imported = await importWorld(t.runtime, { ...file, name: 'Copy' }, person);
    expect(imported.notes).toContain(
      'Claude is an external agent. Create a token for it before its program can propose calls.',
    );
  });
});
