import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@countersign/client';
import { serve } from '@countersign/server';
import { sharedSandbox } from '../support/shared-sandbox.js';
import { afterAll, afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { itAtFullSize } from '../support/scaled.js';
import { startCommand, startServer, type Run } from '../../packages/server/src/testing/start-process.js';
import { createServerAccess } from '../../packages/terminal/src/main.js';
import { runCommand, runWith, type Ran } from './harbour-server.js';

const folder = mkdtempSync(join(tmpdir(), 'countersign-short-'));
const home = join(folder, 'home');
const env = { HOME: folder, COUNTERSIGN_HOME: home };
const version = 'test';
/** Commands are rehearsed in a sandbox. */
const hasRehearsals = (await sharedSandbox()).kind === 'bubblewrap';
/** Runs in this process, which is faster, but still with its own server. */
const run = (...words: string[]): Promise<Ran> =>
  runWith(createServerAccess({ version }), [...words, '--home', home], { env });
let runs: Run[] = [];
afterEach(async () => {
  for (const { process: child, exited } of runs) {
    child.kill('SIGKILL');
    await exited;
  }
  runs = [];
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Left {
  readonly chat: string;
  readonly approval: string;
}
const none: Left = { chat: '', approval: '' };

/** Starts a server and returns its URL, token and a function that ends it. */
async function startToLeave(how: 'stop' | 'kill'): Promise<{ url: string; token: string; end(): Promise<unknown> }> {
  if (how === 'kill') {
    const server = await startServer(home, { env: { HOME: folder } });
    runs.push(server);
    return { url: server.url, token: server.token, end: () => server.end('SIGKILL') };
  }
  const quiet = (): void => undefined;
  const log = { info: quiet, warn: quiet, error: quiet };
  const serving = await serve({ home, env: {}, log, port: 0, version });
  return { url: serving.url, token: serving.home.token.value, end: () => serving.close() };
}

const COUNT = 'How large is the crew? Count the lines.';
const WATCH = 'Please watch the tide.';

/**
 * A chat per message, each with one call that waits for a person, and no server. `kill` approves the calls first and
 * kills the server while they run. A command that never ends isn't rehearsed: each rehearsal would take until its time
 * limit.
 */
async function leaveBehind(messages: readonly string[], how: 'stop' | 'kill' = 'stop'): Promise<Left[]> {
  const server = await startToLeave(how);
  const left = await callsWaiting(server, messages, how);
  await server.end();
  return left;
}

async function callsWaiting(
  server: { url: string; token: string },
  messages: readonly string[],
  how: 'stop' | 'kill' = 'stop',
): Promise<Left[]> {
  const client = createClient({ url: server.url, token: server.token });
  await client.updateWorld('harbour', { rehearse: messages.includes(WATCH) ? 'off' : 'on' });
  const left: Left[] = [];
  for (const content of messages) {
    const { id: chat } = await client.createChat('harbour');
    await client.send('harbour', chat, { content });
    const pending = async () => (await client.approvals('harbour', { chat })).items;
    await expect.poll(async () => (await pending()).length, { timeout: 60_000 }).toBe(1);
    const [approval] = await pending();
    if (approval === undefined) throw new Error('a call should wait');
    if (how === 'kill') await client.decide('harbour', approval, { decision: 'approve' });
    const hasRun = async () =>
      (await client.audit('harbour')).items.some(({ kind, chatId }) => kind === 'run' && chatId === chat);
    await expect.poll(hasRun, { timeout: 60_000 }).toBe(how === 'kill');
    left.push({ chat, approval: approval.approvalId });
  }
  return left;
}

/** Edits a call, which is shown again with its effect and has a new approval (CALL7.4). Returns its id. */
async function showEdited(approval: string, args: string): Promise<string> {
  const { code, stdout, stderr } = await run('approvals', 'approve', approval, '--arguments', args);
  expect(code).toBe(1);
  expect(stdout).toContain(hasRehearsals ? 'Changes no files' : 'shell_cmd');
  expect(stderr).toContain('the edited call needs approval. Check what it will do, then approve it');
  const [, id = ''] =
    /Nothing ran\. To approve the edited call, run:\n {2}countersign approvals approve (\S+)/.exec(stderr) ?? [];
  expect(id).not.toBe(approval);
  return id;
}

async function statusOf(...chats: string[]): Promise<object[]> {
  const { code, stdout } = await run('chats', 'list', '-w', 'harbour', '--json');
  expect(code).toBe(0);
  const { items } = JSON.parse(stdout) as { items: { id: string }[] };
  return chats.flatMap((chat) => items.filter(({ id }) => id === chat));
}

async function audit(chat: string): Promise<string[]> {
  const { stdout } = await run('audit', 'list', '-w', 'harbour', '--json');
  const { items } = JSON.parse(stdout) as { items: { kind: string; chatId?: string }[] };
  return items.filter(({ chatId }) => chatId === chat).map(({ kind }) => kind);
}

it.skipIf(!hasRehearsals)(
  '[CHANGE10] [CHANGE10.2] undo lists calls, shows what it will do, and reverts a call once',
  async () => {
    const server = await startToLeave('stop');
    onTestFinished(async () => void (await server.end()));
    const [{ approval } = none] = await callsWaiting(server, [COUNT]);
    const removal = JSON.stringify({ command: 'rm notes/crew.md' });
    const edited = await run('approvals', 'approve', approval, '--yes', '--arguments', removal);
    const [, id = ''] = /countersign approvals approve (\S+)/.exec(edited.stderr) ?? [];
    expect(await run('approvals', 'approve', id, '--yes')).toMatchObject({ code: 0 });
    const list = await run('undo', '--json');
    const { items } = JSON.parse(list.stdout) as { items: { toolCallId: string }[] };
    const [call = ''] = items.map(({ toolCallId }) => toolCallId);
    expect(items).toHaveLength(1);
    expect((await run('undo')).stdout).toContain('rm notes/crew.md');
    const unsure = await run('undo', call);
    expect(unsure.code).not.toBe(0);
    expect(unsure.stderr).toContain('Adds 1 file');
    expect(unsure.stderr).toContain('+ notes/crew.md');
    expect(await run('undo', call, '--yes')).toMatchObject({ code: 0 });
    const again = await run('undo', call, '-w', 'harbour', '--yes');
    expect(again).toMatchObject({ code: 1, stderr: 'countersign: This call was already undone.\n' });
    expect((await run('undo')).stderr).toContain('There is nothing to undo.');
    expect((await run('undo', 'call_none', '-w', 'harbour', '--yes')).code).toBe(2);
  },
);

describe('without a server', () => {
  itAtFullSize(
    '[TERM4.1] [TERM4.2] [TERM5] Ctrl-C while waiting reports what is unfinished; other commands don’t continue it and say so',
    async () => {
      const [{ chat, approval } = none] = await leaveBehind([WATCH]);
      const waiting = startCommand(['approvals', 'approve', approval, '--yes'], env);
      runs.push(waiting);
      await expect.poll(() => waiting.stdout(), { timeout: 60_000 }).toContain('tide at 1');
      waiting.process.kill('SIGINT');
      expect(await waiting.exited).toEqual({ code: 130, signal: null });
      expect(waiting.stderr()).toContain('interrupted, outcome unknown');
      expect(waiting.stderr()).toContain('countersign serve');
      await expectLeftAlone(chat);
      // A command can stop the chat.
      expect(await run('chats', 'stop', chat, '-w', 'harbour')).toMatchObject({ code: 0 });
      expect(await statusOf(chat)).toMatchObject([{ status: 'idle' }]);
    },
  );

  itAtFullSize(
    '[TERM4.2] [STORE3] work left by a killed server continues when someone acts in its chat, and not before',
    async () => {
      const [{ chat } = none] = await leaveBehind([WATCH], 'kill');
      const before = await audit(chat);
      expect(await statusOf(chat)).toMatchObject([{ status: 'working', needsServer: true }]);
      expect(await audit(chat)).toEqual(before);
      const said = await run('chat', '-w', 'harbour', '-c', chat, 'hello');
      expect(said.stdout).toContain('interrupted, outcome unknown');
      expect(await statusOf(chat)).toMatchObject([{ status: 'idle' }]);
    },
  );

  it('[TERM4] [TERM4.1] [TERM5] [CALL5.4] commands that decide wait until the call has run and its chat has settled', async () => {
    const left = await leaveBehind([COUNT, COUNT, COUNT, COUNT, COUNT]);
    const [slow, failing, denied, always, other] = left as [Left, Left, Left, Left, Left];
    const detached = await run('approvals', 'approve', slow.approval, '--yes', '--detach');
    expect(detached).toMatchObject({ code: 2, stdout: '' });
    expect(detached.stderr).toContain('--detach needs a running server');

    const added = await run('policy', 'add', 'allow shell_cmd(wc -l notes/crew.md)', '-w', 'harbour');
    expect(added).toMatchObject({ code: 2 });
    expect(added.stdout).toContain('Also runs 5 waiting calls once a server is running:');
    expect(added.stderr).toContain('This also runs 5 waiting calls once a server is running.');

    expect(await run('open')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'countersign: No server is running for this home folder. Start one with countersign serve.\n',
    });

    // The process ends after the call.
    const edited = await showEdited(slow.approval, JSON.stringify({ command: 'sleep 0.2; wc -l notes/crew.md' }));
    const approved = await runCommand(['approvals', 'approve', edited, '--yes'], { env });
    expect(approved).toMatchObject({ code: 0 });
    expect(approved.stderr).toContain('Approved once.');
    expect(approved.stdout).toContain('I counted the crew: 5. All done');

    const wrong = await showEdited(failing.approval, JSON.stringify({ command: 'wc -l notes/nobody.md' }));
    const failed = await run('approvals', 'approve', wrong, '--yes', '--json');
    expect(failed.code).toBe(1);
    expect(JSON.parse(failed.stdout)).toMatchObject({
      approvalId: wrong,
      call: { kind: 'failed' },
      status: 'idle',
    });
    const refused = await run('approvals', 'deny', denied.approval, '--reason', 'not now');
    expect(refused).toMatchObject({ code: 0 });
    expect(refused.stdout).toContain('Not done: counted the crew (not now)');

    // A rule runs the waiting calls of its own chat now, and those of others once a server is running.
    const ruled = await run('approvals', 'approve', always.approval, '--scope', 'always', '--yes');
    expect(ruled).toMatchObject({ code: 0 });
    expect(ruled.stdout).toContain('Also runs 1 waiting call once a server is running:');
    const statuses = await statusOf(...left.map(({ chat }) => chat));
    expect(statuses).toMatchObject(left.map(({ chat }) => ({ status: chat === other.chat ? 'waiting' : 'idle' })));
  });
});

async function expectLeftAlone(chat: string): Promise<void> {
  const before = await audit(chat);
  expect(await statusOf(chat)).toMatchObject([{ status: 'working', needsServer: true }]);
  const shown = await run('chats', 'list', '-w', 'harbour');
  expect(shown.stdout).toMatch(new RegExp(`${chat}.*needs a server`));
  expect(shown.stderr).toContain('countersign serve');
  expect(await audit(chat)).toEqual(before);
  const doctor = await run('doctor', '--json');
  expect(JSON.stringify(JSON.parse(doctor.stdout))).toMatch(/"what":"work","state":"warning","detail":"1 chat/);
}
