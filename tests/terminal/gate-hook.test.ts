import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createClient } from '@countersign/client';
import type { CreatedExternalAgent } from '@countersign/protocol';
import { serve } from '@countersign/server';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { itAtFullSize } from '../support/scaled.js';
import { closeApps, openApp, TOKEN, until, type AppFixture } from '../../packages/server/src/testing/app-fixture.js';
import { runHook, type HookExit } from '../../packages/terminal/src/gate/hook/run-hook.js';
import { createServerAccess } from '../../packages/terminal/src/main.js';
import { runWith } from './harbour-server.js';

const command = fileURLToPath(new URL('../../packages/countersign/bin/countersign.js', import.meta.url));
let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'countersign-hook-'));
});
afterEach(async () => {
  await closeApps();
  rmSync(home, { recursive: true, force: true });
});

type Program = 'claude' | 'codex' | 'gemini';

/** A server with one world, and what `gate install` writes for each program. */
async function open(policy: readonly string[] = []): Promise<AppFixture> {
  const t = await openApp();
  await t.api('POST', '/worlds', { name: 'Harbour', policy });
  mkdirSync(join(home, 'gate'));
  for (const program of ['claude', 'codex', 'gemini']) {
    const agent = { name: program, program };
    const { body } = await t.api<CreatedExternalAgent>('POST', '/worlds/harbour/external/agents', agent);
    const config = { url: t.url, world: 'harbour', agent: body.agent, token: body.token, pass: 'pass-of-this-test' };
    writeFileSync(join(home, 'gate', `${program}.json`), JSON.stringify(config));
  }
  return t;
}

/** In the form that Claude Code 2.1.325, Codex 0.166 and Gemini CLI 0.61 send, shortened. The drill runs the real ones. */
const inputs = {
  claude: {
    session_id: '5b6ad7d2-7d5c-4c0f-9c0a-5d7d2b1e0f11',
    transcript_path: '/root/.claude/projects/x.jsonl',
    cwd: '/home/ada/project',
    permission_mode: 'default',
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command: 'git status', description: 'Show the status' },
    tool_use_id: 'toolu_01A',
  },
  codex: {
    session_id: '019a7f',
    turn_id: '1',
    cwd: '/home/ada/project',
    hook_event_name: 'PreToolUse',
    model: 'gpt',
    permission_mode: 'default',
    tool_name: 'Bash',
    tool_input: { command: 'git status' },
    tool_use_id: 'call_1',
  },
  gemini: {
    session_id: 'e4f1',
    cwd: '/home/ada/project',
    hook_event_name: 'BeforeTool',
    timestamp: '2026-11-17T10:00:00.000Z',
    tool_name: 'run_shell_command',
    tool_input: { command: 'git status', description: 'Show the status' },
  },
};

/** What Claude Code sets for its hooks. */
const CLAUDE = { CLAUDE_PID: `${process.pid}`, AI_AGENT: 'claude-code_2-1-326_harness' };

function start(program: string, input: unknown, script = command) {
  const child = spawn(process.execPath, [script, 'gate', 'hook', '--agent', program, '--home', home], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, HOME: home, ...CLAUDE },
  });
  child.stdin.end(typeof input === 'string' ? input : JSON.stringify(input));
  const ended = Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]).then(
    ([[code], stdout, stderr]) => ({ code: code as number | null, stdout, stderr }),
  );
  return { child, ended };
}

const run = async (program: string, input: unknown) => await start(program, input).ended;

/** What the hook answers, without a process of its own. */
const hook = (program: Program, input: object, defers = false): Promise<HookExit> =>
  runHook(program, home, JSON.stringify(input), { defers, places: { env: CLAUDE, userHome: home } });

it.each(['claude', 'codex', 'gemini'] as const)('[GATE1.1] answers %s as it expects', async (program: Program) => {
  const tool = program === 'gemini' ? 'run_shell_command' : 'Bash';
  await open([`allow ${program}__${tool}(git status)`, 'deny shell_cmd(git push)']);
  // A rule allows a command only in the world's folder, which is this one (EXT1.20).
  const input = { ...inputs[program], cwd: process.cwd() };
  const yes = program === 'claude' ? await run(program, input) : await hook(program, input);
  expect(yes).toMatchObject({ code: 0, stderr: '' });
  const answer = yes.stdout === '' ? {} : (JSON.parse(yes.stdout) as object);
  expect(answer).toMatchObject(
    {
      claude: { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } },
      // For Codex, silence is a yes.
      codex: {},
      gemini: { decision: 'allow', hookSpecificOutput: { tool_input: { countersign: 'pass-of-this-test' } } },
    }[program],
  );
  const pushing = { ...inputs[program], tool_use_id: 'other', tool_input: { command: 'git push' } };
  const no = await hook(program, pushing);
  expect(no).toMatchObject(program === 'claude' ? { code: 0, stderr: '' } : { code: 2, stdout: '' });
  expect(no.stdout.includes('"permissionDecision":"deny"')).toBe(program === 'claude');
  expect(no.stdout + no.stderr).toContain('deny shell_cmd(git push)');
});

it('[GATE4] runs an approved command of Gemini CLI once, in its folder, as the command itself would run', async () => {
  const t = await open();
  const folder = join(home, 'project');
  mkdirSync(folder);
  /** What Gemini CLI would run for this command. */
  const approve = async (wanted: string): Promise<string> => {
    const { ended } = start('gemini', { ...inputs.gemini, cwd: folder, tool_input: { command: wanted } });
    const pending = async () =>
      (await t.api<{ items: { approvalId: string }[] }>('GET', '/worlds/harbour/approvals')).body.items[0];
    const { approvalId } = await until(pending, 'the call waits');
    const decision = { tool_call_id: approvalId, decision: 'approve' };
    expect((await t.api('POST', '/worlds/harbour/tool-results', decision)).status).toBe(200);
    const { stdout } = await ended;
    return (JSON.parse(stdout) as { hookSpecificOutput: { tool_input: { command: string } } }).hookSpecificOutput
      .tool_input.command;
  };
  const shell = (line: string, cwd: string, input = '') => {
    const child = spawn('bash', ['-c', `exec ${line}`], { cwd, stdio: 'pipe', detached: true });
    child.stdin.end(input);
    const ended = Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]).then(
      ([[code], stdout, stderr]) => ({ code: code as number | null, stdout, stderr }),
    );
    return { child, ended };
  };

  const line = await approve(`read -r line; echo "got $line 'in' $PWD"; echo problem >&2; exit 7`);
  expect(line).not.toContain('got');
  expect(await shell(line, home).ended).toMatchObject({
    code: 126,
    stdout: '',
    stderr: expect.stringContaining(folder) as string,
  });

  const again = await approve(`read -r line; echo "got $line 'in' $PWD"; echo problem >&2; exit 7`);
  // What the hook left behind can be copied, but the server gives out a command once.
  cpSync(join(home, 'gate'), join(home, 'copy'), { recursive: true });
  const ran = await shell(again, folder, 'input\n').ended;
  cpSync(join(home, 'copy'), join(home, 'gate'), { recursive: true });
  expect(ran).toEqual({ code: 7, stdout: `got input 'in' ${folder}\n`, stderr: 'problem\n' });
  expect(await shell(again, folder).ended).toMatchObject({ code: 126, stdout: '' });
  expect(await shell(again.replace(/'[^']*'$/, "'other'"), folder).ended).toMatchObject({ code: 126, stdout: '' });

  // Of two processes that start at the same time, one gets the command.
  const raced = await approve('echo ran');
  const both = await Promise.all([shell(raced, folder).ended, shell(raced, folder).ended]);
  expect(both.map(({ code, stdout }) => `${code} ${stdout}`).sort()).toEqual(['0 ran\n', '126 ']);

  // A signal to all processes of the group, as Gemini CLI sends it, reaches the command once.
  const script =
    "process.on('SIGTERM', () => fs.appendFileSync('seen', 'term ')).on('SIGHUP', () => setTimeout(() => process.exit(3), 300)); " +
    "fs.writeFileSync('seen', ''); setInterval(() => undefined, 1000)";
  const counting = `'${process.execPath}' -e "${script}"`;
  const { child, ended } = shell(await approve(counting), folder);
  const seen = join(folder, 'seen');
  await until(async () => (existsSync(seen) ? true : undefined), 'the command runs');
  process.kill(-(child.pid ?? 0), 'SIGTERM');
  await until(async () => (readFileSync(seen, 'utf8').includes('term') ? true : undefined), 'the signal arrives');
  process.kill(-(child.pid ?? 0), 'SIGHUP');
  expect(await ended).toMatchObject({ code: 3 });
  expect(readFileSync(seen, 'utf8')).toBe('term ');
});

it('[GATE1.1] a hook that is killed while it waits never says yes, and the call keeps waiting', async () => {
  const t = await open();
  const { child, ended } = start('claude', inputs.claude);
  const pending = () => t.api<{ items: { approvalId: string }[] }>('GET', '/worlds/harbour/approvals');
  const card = await until(async () => (await pending()).body.items[0], 'the call waits');
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('must not run') as string });
  expect((await pending()).body.items).toHaveLength(1);
  const decision = { tool_call_id: card.approvalId, decision: 'approve' };
  expect((await t.api('POST', '/worlds/harbour/tool-results', decision)).status).toBe(200);
  // The agent asks again with the same id, and gets the answer.
  expect(await hook('claude', inputs.claude)).toMatchObject({ code: 0 });
});

it('[EXT1.10] approving a call whose agent was killed says that nothing ran', async () => {
  const t = await open();
  const { child, ended } = start('claude', inputs.claude);
  const pending = () =>
    t.api<{ items: { approvalId: string; abandoned?: true }[] }>('GET', '/worlds/harbour/approvals');
  await until(async () => (await pending()).body.items[0], 'the call waits');
  child.kill('SIGKILL');
  await ended;
  const card = await until(async () => {
    t.clock.advance(60_000);
    return (await pending()).body.items.find(({ abandoned }) => abandoned);
  }, 'the server notices');
  const env = { HOME: home, COUNTERSIGN_URL: t.url, COUNTERSIGN_TOKEN: TOKEN };
  const cli = async (...words: string[]) =>
    await runWith(createServerAccess({ version: 'test' }), ['approvals', ...words, '-w', 'harbour'], { env });
  const shown = await cli('show', card.approvalId);
  expect(shown.stdout.replaceAll(/\s+/g, ' ')).toContain('Claude Code no longer waits for this call.');
  const approved = await cli('approve', card.approvalId, '--yes');
  expect(approved.stderr).toContain('Nothing ran: the agent no longer waited for this call.');
  expect(approved.code).toBe(1);
});

it('[TERM5.1] approving a call that the agent runs itself ends when the agent got the yes', async () => {
  const t = await open();
  const decide = async (verb: string, key: string) => {
    const ended = hook('claude', { ...inputs.claude, tool_use_id: key });
    const pending = () => t.api<{ items: { approvalId: string }[] }>('GET', '/worlds/harbour/approvals');
    const card = await until(async () => (await pending()).body.items[0], 'the call waits');
    const env = { HOME: home, COUNTERSIGN_URL: t.url, COUNTERSIGN_TOKEN: TOKEN };
    const words = ['approvals', verb, card.approvalId, ...(verb === 'approve' ? ['--yes'] : []), '-w', 'harbour'];
    const said = await runWith(createServerAccess({ version: 'test' }), words, { env });
    return { said, hook: await ended };
  };
  // Nobody reports how the first call ended.
  expect(await decide('approve', 'toolu_1')).toMatchObject({
    said: { code: 0, stderr: expect.stringMatching(/The agent may run the call now\.[^\n]*\n$/) as string },
    hook: { code: 0 },
  });
  expect(await decide('deny', 'toolu_2')).toMatchObject({
    said: { code: 0 },
    hook: { stdout: expect.stringContaining('"deny"') as string },
  });
});

itAtFullSize('[EXT1.10] approving a deferred call says when it runs, and does not wait for it', async () => {
  const t = await open();
  expect((await hook('claude', inputs.claude, true)).stdout).toContain('defer');
  const { body } = await t.api<{ items: { approvalId: string }[] }>('GET', '/worlds/harbour/approvals');
  const env = { HOME: home, COUNTERSIGN_URL: t.url, COUNTERSIGN_TOKEN: TOKEN };
  const words = ['approvals', 'approve', body.items[0]?.approvalId ?? '', '--yes', '-w', 'harbour'];
  const approved = await runWith(createServerAccess({ version: 'test' }), words, { env });
  expect(approved).toMatchObject({ code: 0, stderr: expect.stringContaining('when you resume its session') as string });
});

itAtFullSize(
  '[TERM5.1] without a server, a call that an agent waits for is not approved, because the agent would not hear of it',
  async () => {
    const folder = join(home, 'store');
    const quiet = (): void => undefined;
    const log = { info: quiet, warn: quiet, error: quiet };
    const server = await serve({ home: folder, env: {}, log, port: 0, version: 'test' });
    const client = createClient({ url: server.url, token: server.home.token.value });
    const { id: world } = await client.createWorld({ name: 'Harbour' });
    const { token } = await client.external.createAgent(world, { name: 'Claude Code', program: 'claude' });
    const call = {
      session: 's',
      key: 'k',
      program: 'claude',
      tool: 'Bash',
      arguments: { command: 'ls' },
      reports: true,
    };
    await createClient({ url: server.url, token }).external.propose(world, call);
    const waiting = (await client.approvals(world)).items[0]?.approvalId ?? '';
    await server.close();
    const decide = async (...words: string[]) =>
      await runWith(createServerAccess({ version: 'test' }), ['approvals', ...words, '-w', world, '--home', folder], {
        env: { HOME: home },
      });
    const approved = await decide('approve', waiting, '--yes');
    expect(approved).toMatchObject({ code: 2 });
    expect(approved.stderr).toContain('Start countersign serve, then approve the call again. Nothing was decided.');
    expect(await decide('deny', waiting)).toMatchObject({ code: 0 });
  },
);

it('[GATE1.1] says no to garbage and to an unknown agent', async () => {
  expect(await run('claude', 'not json {')).toMatchObject({ code: 2, stdout: '' });
  expect(await run('cursor', inputs.claude)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: 'Unknown agent "cursor". Expected claude, codex or gemini.\n',
  });
});

it('[GATE1.1] says no with exit code 2 if its error message cannot be written', () => {
  const hook = `'${process.execPath}' '${command}' gate hook --agent claude --home '${home}' 2> /dev/full`;
  expect(spawnSync('sh', ['-c', hook], { input: '{}' })).toMatchObject({ status: 2, stdout: Buffer.from('') });
});

it('[GATE1.1] says no with exit code 2 if the command is damaged', async () => {
  const bin = join(home, 'damaged', 'bin');
  cpSync(dirname(command), bin, { recursive: true });
  const { code, stdout, stderr } = await start('claude', inputs.claude, join(bin, 'countersign.js')).ended;
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('hook.cjs');
});
