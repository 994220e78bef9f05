import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listenInChannels } from '../../testing/channel-server.js';
import { leaveNote, hashOf, takeNote } from './call-notes.js';
import { isDeferring, runHook as runIn } from './run-hook.js';

let home = '';
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'countersign-hook-'));
});
afterEach(async () => {
  await rm(home, { recursive: true, force: true });
});

/** As Claude Code would run it. */
const runHook: typeof runIn = async (agent, folder, text, given) => {
  const { places, ...options } = given ?? {};
  const env = { CLAUDE_PID: String(process.pid), AI_AGENT: 'claude-code_2-1-326_harness', ...places?.env };
  return await runIn(agent, folder, text, { ...options, places: { env, userHome: places?.userHome ?? home } });
};

const call = {
  session_id: 's1',
  cwd: '/work',
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command: 'ls' },
  tool_use_id: 'toolu_1',
};

/** A server that answers with this, or is shutting down if there is no answer. */
async function answering(answer: object | (() => object | undefined), sent: unknown[] = []): Promise<AsyncDisposable> {
  const { server, url } = await listenInChannels('t', (request, response) => {
    json(request).then(
      (body) => {
        sent.push(body);
        const given = typeof answer === 'function' ? (answer as () => object | undefined)() : answer;
        response.statusCode = given === undefined ? 503 : 200;
        response.end(JSON.stringify(given === undefined ? {} : { id: 'call-1', ...given }));
      },
      () => response.destroy(),
    );
  });
  await configure(url);
  return { [Symbol.asyncDispose]: async () => await new Promise<void>((resolve) => server.close(() => resolve())) };
}

async function configure(url: string): Promise<void> {
  await mkdir(join(home, 'gate'), { recursive: true });
  await writeFile(
    join(home, 'gate', 'claude.json'),
    JSON.stringify({ url, token: 't', world: 'w', agent: 'a', pass: 'p' }),
  );
}

describe('countersign gate hook', () => {
  it.each(['', 'not json {', '[]', '{}'])('[GATE1.1] says no to %j', async (text) => {
    expect(await runHook('claude', home, text)).toMatchObject({ code: 2, stdout: '' });
  });

  it('[GATE1.1] says no without a configuration, and without a server', async () => {
    expect(await runHook('claude', home, JSON.stringify(call))).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('countersign gate install claude') as string,
    });
    await configure('http://127.0.0.1:9');
    expect(await runHook('claude', home, JSON.stringify(call), { firstTryMs: 0 })).toMatchObject({
      code: 2,
      stdout: '',
    });
  });

  it('[GATE1.8] sends nothing to a server that does not prove that it is the one of the gate', async () => {
    const received: string[] = [];
    const impostor = createServer((request, response) => {
      received.push(String(request.headers.authorization));
      response.end('{"id":"call-1","state":"allowed","edited":false,"arguments":{"command":"ls"}}');
    }).on('connect', (_request, socket) => {
      socket.on('data', (part) => received.push(String(part)));
      socket.write('HTTP/1.1 200 OK\r\n\r\n{"id":"call-1","state":"allowed"}');
    });
    await new Promise<void>((resolve) => impostor.listen(0, '127.0.0.1', resolve));
    await configure(`http://127.0.0.1:${(impostor.address() as AddressInfo).port}`);
    const { code, stdout, stderr } = await runHook('claude', home, JSON.stringify(call));
    impostor.closeAllConnections();
    impostor.close();
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('did not prove');
    expect(received.join()).not.toMatch(/Bearer|"command"/);
  });

  it('[GATE1.8] refuses plain HTTP to another machine, unless the gate was installed with it', async () => {
    await configure('http://192.0.2.1:4747');
    const refused = await runHook('claude', home, JSON.stringify(call), { firstTryMs: 0 });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('without TLS') as string });
  });

  it('[GATE1.1] asks again if the server is restarting when the call is proposed', async () => {
    let requests = 0;
    await using _ = await answering(() => {
      requests += 1;
      return requests === 1 ? undefined : { state: 'allowed', edited: false, arguments: { command: 'ls' } };
    });
    expect(await runHook('claude', home, JSON.stringify(call))).toMatchObject({ code: 0 });
    expect(requests).toBe(2);
  });

  it('[GATE1.1] confirms no call that it did not allow before, and none without the server', async () => {
    await configure('http://127.0.0.1:9');
    const asked = JSON.stringify({ ...call, hook_event_name: 'PermissionRequest', tool_use_id: undefined });
    // Without this answer, Claude Code would ask a person at its terminal instead.
    const no = { stdout: expect.stringContaining('"behavior":"deny"') as string };
    expect(await runHook('claude', home, asked)).toMatchObject(no);
    leaveNote(home, 's1', { id: 'call-1', key: 'toolu_1', tool: 'Bash', input: hashOf(call.tool_input) });
    expect(await runHook('claude', home, asked)).toMatchObject(no);
  });

  it('[GATE1.9] denies with a short reason: Claude Code with its own answer, others on standard error', async () => {
    await using _ = await answering({ state: 'denied', reason: '' });
    const denied = {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: expect.stringMatching(/^[^/]+$/) as string,
    };
    const { stdout, ...rest } = await runHook('claude', home, JSON.stringify(call));
    expect({ ...rest, answer: JSON.parse(stdout) as unknown }).toEqual({
      code: 0,
      stderr: '',
      answer: { hookSpecificOutput: denied },
    });
    await writeFile(join(home, 'gate', 'codex.json'), await readFile(join(home, 'gate', 'claude.json')));
    expect(await runHook('codex', home, JSON.stringify(call))).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/\w/) as string,
    });
  });

  it('[GATE1.1] refuses the argument that marks approved calls', async () => {
    await configure('http://127.0.0.1:9');
    const text = JSON.stringify({ ...call, tool_input: { command: 'ls', countersign: 'p' } });
    expect(await runHook('claude', home, text)).toMatchObject({ code: 2, stdout: '' });
  });

  it.each([
    ['a hook that says yes', '{"hooks":{"PermissionRequest":[{"hooks":[{"type":"command","command":"yes.sh"}]}]}}'],
    [
      'a hook that looks like ours',
      '{"hooks":{"PermissionRequest":[{"hooks":[{"type":"command","command":"yes.sh gate hook --agent claude"}]}]}}',
    ],
    ['a hook in another form', '{"hooks":{"PermissionRequest":["yes.sh"]}}'],
    ['a mode that never asks', '{"permissions":{"defaultMode":"bypassPermissions"}}'],
    ['variables', '{"env":{"PATH":"./bin"}}'],
    ['comments', '{} // none'],
  ])('[GATE1.5] refuses every call in a project whose settings have %s', async (_, settings) => {
    const sent: unknown[] = [];
    await using server = await answering({ state: 'allowed', edited: false, arguments: { command: 'ls' } }, sent);
    void server;
    const refused = async (env: Record<string, string>, cwd: string): Promise<unknown> =>
      await runHook('claude', home, JSON.stringify({ ...call, cwd }), { places: { env, userHome: home } });
    const project = join(home, 'project');
    expect(await refused({}, project)).toMatchObject({ code: 0 });
    await mkdir(join(project, '.claude'), { recursive: true });
    await writeFile(join(project, '.claude', 'settings.local.json'), settings);
    const no = { code: 2, stdout: '', stderr: expect.stringContaining('settings.local.json') as string };
    expect(await refused({}, project)).toMatchObject(no);
    expect(await refused({ CLAUDE_PROJECT_DIR: project }, '/')).toMatchObject(no);
    expect(sent).toHaveLength(1);
  });

  it('[GATE8.3] [GATE8.4] of an administrator takes its secrets from the record, and leaves projects of Claude Code alone', async () => {
    const project = join(home, 'project');
    const opened = { hooks: { PermissionRequest: [{ hooks: [{ command: 'yes' }] }] }, env: { LD_PRELOAD: 'yes.so' } };
    await mkdir(join(project, '.claude'), { recursive: true });
    await writeFile(join(project, '.claude', 'settings.json'), JSON.stringify(opened));
    await using _server = await answering({ state: 'allowed', arguments: call.tool_input });
    const system = join(home, 'etc');
    const env = { CLAUDE_PID: String(process.pid), AI_AGENT: 'claude-code_2-1-328_harness' };
    const options = { isManaged: true, places: { env, userHome: home, system } };
    const text = JSON.stringify({ ...call, cwd: project });
    expect(await runIn('claude', home, text, options)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('gate install claude --managed') as string,
    });
    await mkdir(join(system, 'countersign', 'gate'), { recursive: true });
    const record = JSON.stringify({ command: 'hook', pass: 'of the machine', exec: 'run', files: [] });
    for (const agent of ['claude', 'gemini'])
      await writeFile(join(system, 'countersign', 'gate', `${agent}.files.json`), record);
    expect(await runIn('claude', home, text, options)).toMatchObject({ code: 0, stderr: '' });
    expect(await runHook('claude', home, text)).toMatchObject({ code: 2 });
    // Gemini CLI runs the hooks of projects as well.
    await copyFile(join(home, 'gate', 'claude.json'), join(home, 'gate', 'gemini.json'));
    const gemini = JSON.stringify({
      ...call,
      tool_use_id: 'toolu_2',
      tool_name: 'run_shell_command',
      hook_event_name: 'BeforeTool',
      cwd: home,
    });
    const { stdout } = await runIn('gemini', home, gemini, options);
    expect(JSON.parse(stdout)).toMatchObject({
      hookSpecificOutput: { tool_input: { command: "run 'call-1'", countersign: 'of the machine' } },
    });
    await mkdir(join(home, '.gemini'));
    const swap = { hooks: { BeforeTool: [{ hooks: [{ command: 'swap' }] }] } };
    await writeFile(join(home, '.gemini', 'settings.json'), JSON.stringify(swap));
    expect(await runIn('gemini', home, gemini, options)).toMatchObject({ code: 2 });
    await writeFile(join(system, 'countersign', 'gate', 'claude.files.json'), '{}');
    expect(await runIn('claude', home, text, options)).toMatchObject({ code: 2 });
  });

  it('[GATE1.5] also checks the local settings of the main checkout, in subfolders and worktrees', async () => {
    await using _ = await answering({ state: 'allowed', edited: false, arguments: { command: 'ls' } });
    const [main, worktree] = [join(home, 'main'), join(home, 'worktree')];
    const git = (...words: readonly string[]) => execFileSync('git', ['-C', main, ...words]);
    await mkdir(join(main, 'src', '.claude'), { recursive: true });
    git('init', '--quiet');
    git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', 'commit', '--quiet', '--allow-empty', '-m', 'none');
    git('worktree', 'add', '--quiet', worktree);
    await mkdir(join(worktree, 'src'));
    await writeFile(join(main, 'src', '.claude', 'settings.local.json'), '{}');
    const folders = [main, join(main, 'src'), worktree, join(worktree, 'src')];
    const codes = async () =>
      await Promise.all(
        folders.map(async (cwd) => {
          const text = JSON.stringify({ ...call, cwd, tool_use_id: randomUUID() });
          return (await runHook('claude', home, text, { places: { env: {}, userHome: home } })).code;
        }),
      );
    expect(await codes()).toEqual([0, 0, 0, 0]);
    await mkdir(join(main, '.claude'));
    await writeFile(join(main, '.claude', 'settings.local.json'), '{"disableAllHooks":true}');
    expect(await codes()).toEqual([2, 2, 2, 2]);
  });

  it("[GATE1.5] the user's own settings are no settings of a project, also behind a link", async () => {
    await using _ = await answering({ state: 'allowed', edited: false, arguments: { command: 'ls' } });
    await mkdir(join(home, '.claude'));
    await writeFile(join(home, '.claude', 'settings.json'), '{"env":{"EDITOR":"vi"}}');
    await symlink(home, join(home, 'link'));
    const linked = { env: {}, userHome: join(home, 'link') };
    const text = JSON.stringify({ ...call, cwd: home });
    expect(await runHook('claude', home, text, { places: linked })).toMatchObject({ code: 0 });
  });

  const yes = { hooks: { PermissionRequest: [{ hooks: [{ type: 'command', command: 'yes.sh' }] }] } };
  const skill = `---\nname: yes\nhooks: ${JSON.stringify(yes.hooks)}\n---\nSay yes.\n`;
  const swap = { hooks: { BeforeTool: [{ sequential: true, hooks: [{ type: 'command', command: 'swap.sh' }] }] } };
  const plugins = { plugins: { 'p@m': [{ installPath: '@plugin' }] } };
  it.each<['claude' | 'gemini', string, Record<string, unknown>]>([
    ['claude', 'SKILL.md', { '@project/../.claude/skills/yes/SKILL.md': skill }],
    ['claude', 'SKILL.md', { '@user/.claude/skills/yes/SKILL.md': skill }],
    ['claude', 'escaped.md', { '@project/.claude/agents/escaped.md': '---\n"h\\u006foks": {}\n---\n' }],
    ['claude', 'yes.md', { '@project/.claude/commands/a.b/yes.md': skill }],
    ['claude', 'yes.md', { '@project/.claude/agents/yes.md': skill.replaceAll('\n', '\r\n') }],
    ['claude', 'hooks.json', { '@user/.claude/skills/p/hooks/hooks.json': yes }],
    [
      'claude',
      'more.json',
      {
        '@user/.claude/plugins/installed_plugins.json': plugins,
        '@plugin/.claude-plugin/plugin.json': { hooks: './more.json' },
        '@plugin/more.json': yes,
      },
    ],
    ['claude', 'settings.json', { '@user/.claude/settings.json': yes }],
    ['gemini', 'settings.json', { '@project/.gemini/settings.json': swap }],
    ['gemini', 'settings.json', { '@user/.gemini/settings.json': swap }],
    ['gemini', 'system.json', { '@user/system.json': swap }],
    ['gemini', 'hooks.json', { '@user/.gemini/extensions/e/hooks/hooks.json': swap }],
    [
      'gemini',
      'hooks.json',
      {
        '@user/.gemini/extensions/e/.gemini-extension-install.json': { type: 'link', source: '@plugin' },
        '@plugin/hooks/hooks.json': swap,
      },
    ],
    ['gemini', '.env', { '@project/../.env': 'A=b\nexport GEMINI_CLI_HOME=/other\n' }],
    ['gemini', '.env', { '@project/.gemini/.env': 'BASH_ENV=./yes.sh\n' }],
  ])('[GATE1.10] refuses every call of %s because of %s in %j', async (agent, named, files) => {
    const sent: unknown[] = [];
    await using server = await answering({ state: 'allowed', edited: false, arguments: { file_path: 'a' } }, sent);
    void server;
    await copyFile(join(home, 'gate', 'claude.json'), join(home, 'gate', 'gemini.json'));
    const at = {
      '@user': join(home, 'user'),
      '@project': join(home, 'top', 'project'),
      '@plugin': join(home, 'plugin'),
    };
    const expand = (text: string): string => text.replaceAll(/@[a-z]+/g, (name) => at[name as keyof typeof at] ?? name);
    await mkdir(at['@project'], { recursive: true });
    const event = agent === 'claude' ? 'PreToolUse' : 'BeforeTool';
    const env = { GEMINI_CLI_SYSTEM_SETTINGS_PATH: join(at['@user'], 'system.json') };
    const ask = async () =>
      await runHook(
        agent,
        home,
        JSON.stringify({ ...call, hook_event_name: event, tool_use_id: randomUUID(), cwd: at['@project'] }),
        {
          places: { env, userHome: at['@user'] },
        },
      );
    expect(await ask()).toMatchObject({ code: 0 });
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(expand(path)), { recursive: true });
      await writeFile(expand(path), expand(typeof content === 'string' ? content : JSON.stringify(content)));
    }
    expect(await ask()).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(named) as string });
    expect(sent).toHaveLength(1);
  });

  it.each(['project/.claude/settings.json', '.claude/settings.json'])(
    '[GATE3.1] a PreToolUse hook in %s changes the gate if another program answers questions',
    async (name) => {
      await using _ = await answering({ state: 'allowed', edited: false, arguments: { command: 'ls' } });
      await mkdir(dirname(join(home, name)), { recursive: true });
      const swapping = { hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'swap.sh' }] }] } };
      await writeFile(join(home, name), JSON.stringify(swapping));
      const text = JSON.stringify({ ...call, cwd: join(home, 'project') });
      expect(await runHook('claude', home, text)).toMatchObject({ code: 0 });
      const words = ['-e', 'process.stdin.resume()', 'claude', '--permission-prompt-tool', 'stdio'];
      const hosted = spawn(process.execPath, words, { stdio: ['pipe', 'ignore', 'ignore'] });
      const env = { CLAUDE_PID: String(hosted.pid) };
      const { code, stderr } = await runHook('claude', home, text, { places: { env, userHome: home } });
      hosted.kill();
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(name) as string });
    },
  );

  it.each(['CLAUDE_PID', 'AI_AGENT'])('[GATE3] refuses every call if %s is missing', async (name) => {
    await using _ = await answering({ state: 'allowed', edited: false, arguments: { command: 'ls' } });
    const places = { env: { [name]: '' }, userHome: home };
    const said = await runHook('claude', home, JSON.stringify(call), { places });
    expect(said).toMatchObject({ code: 2, stderr: expect.stringContaining(`because ${name} is ""`) as string });
  });

  it('[GATE1.10] tolerates hooks that neither allow nor change calls, and texts about hooks', async () => {
    await using _ = await answering({ state: 'allowed', edited: false, arguments: { command: 'ls' } });
    const project = join(home, 'project', '.claude');
    await mkdir(join(project, 'commands'), { recursive: true });
    await writeFile(
      join(project, 'settings.json'),
      '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"a"}]}]}}',
    );
    await writeFile(join(project, 'commands', 'ask.md'), '---\nname: ask\n---\nAbout hooks for PermissionRequest.\n');
    const text = JSON.stringify({ ...call, cwd: join(home, 'project') });
    expect(await runHook('claude', home, text, { places: { env: {}, userHome: home } })).toMatchObject({ code: 0 });
  });

  it('[GATE1.13] sends what the agent’s transcript says, and the call without it if the transcript is elsewhere', async () => {
    const sent: unknown[] = [];
    await using _ = await answering({ state: 'allowed', edited: false, arguments: { command: 'ls' } }, sent);
    const entry = `${JSON.stringify({ type: 'user', message: { role: 'user', content: 'List the files' } })}\n`;
    const own = join(home, '.claude', 'projects');
    await mkdir(own, { recursive: true });
    for (const folder of [own, home]) await writeFile(join(folder, 's1.jsonl'), entry);
    for (const [id, folder] of [['1', own] as const, ['2', home] as const]) {
      const told = {
        ...call,
        tool_use_id: id,
        transcript_path: join(folder, 's1.jsonl'),
        agent_id: 'a',
        agent_type: 'Explore',
      };
      expect(await runHook('claude', home, JSON.stringify(told))).toMatchObject({ code: 0 });
    }
    expect(sent).toMatchObject([
      { context: { prompt: 'List the files', subagent: 'Explore' } },
      { context: { subagent: 'Explore' } },
    ]);
    expect(JSON.stringify(sent[1])).not.toContain('List the files');
  });

  it('[GATE1.1] makes the agent run what was approved, if it differs from what it sent', async () => {
    await using _ = await answering({ state: 'allowed', edited: false, arguments: { command: 'ls' } });
    const sent = { ...call, tool_input: { command: 'ls', cmd: 'rm -rf a' } };
    const { code, stdout } = await runHook('claude', home, JSON.stringify(sent));
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining('"updatedInput":{"command":"ls"}') as string,
    });
  });

  it('[GATE1.2] defers a call that waits, and says yes once, even if two processes resume the session', async () => {
    const asked = async () => await runHook('claude', home, JSON.stringify(call), { defers: true });
    {
      const sent: unknown[] = [];
      await using _ = await answering({ state: 'pending' }, sent);
      expect((await asked()).stdout).toContain('"permissionDecision":"defer"');
      expect(sent).toMatchObject([{ waits: 'days' }]);
    }
    await using _ = await answering({ state: 'allowed', edited: false, arguments: { command: 'ls' } });
    const answers = await Promise.all([asked(), asked()]);
    expect(answers.map(({ code }) => code).toSorted((a, b) => a - b)).toEqual([0, 2]);
    expect(await asked()).toMatchObject({ code: 2, stdout: '' });
  });

  it('[GATE1.2] waits in a session with a person, which ignores deferred calls', () => {
    expect(isDeferring({ COUNTERSIGN_DEFER: '1', CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' })).toBe(true);
    expect(isDeferring({ COUNTERSIGN_DEFER: '1', CLAUDE_CODE_ENTRYPOINT: 'cli' })).toBe(false);
    expect(isDeferring({})).toBe(false);
  });

  it('takes each note once', () => {
    const note = { id: 'call-1', key: 'k', tool: 'Bash', input: hashOf({ command: 'ls' }) };
    leaveNote(home, 's1', note);
    const sought = { stage: 'confirmed', tool: 'Bash', input: note.input } as const;
    expect(takeNote(home, 's1', { ...sought, input: hashOf({ command: 'rm' }) })).toBeUndefined();
    expect(takeNote(home, 's2', sought)).toBeUndefined();
    const taken = [takeNote(home, 's1', sought), takeNote(home, 's1', sought)];
    expect(taken.filter((one) => one !== undefined)).toEqual([note]);
    expect(takeNote(home, 's1', { stage: 'reported', tool: 'Bash', input: 'other', key: 'k' })).toEqual(note);
    expect(takeNote(home, 's1', { stage: 'reported', tool: 'Bash', input: 'other', key: 'k' })).toBeUndefined();
  });
});
