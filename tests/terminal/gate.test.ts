import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sharedSandbox } from '../support/shared-sandbox.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HARMLESS_VARIABLES } from '../../packages/terminal/src/gate/harmless-variables.js';
import { isFullSize, itAtFullSize } from '../support/scaled.js';
import { openHarbourServer, runAlone, type HarbourServer, type Ran } from './harbour-server.js';

let t: HarbourServer;
let home = '';
let settings = '';
let count = 0;
beforeAll(async () => {
  t = await openHarbourServer();
});
afterAll(async () => await t.close());
beforeEach(() => {
  count += 1;
  home = join(t.folder, `gate-${count}`);
  settings = join(home, 'claude', 'settings.json');
});

const gate = async (
  words: readonly string[],
  input?: string,
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<Ran> =>
  await t.runHere(['gate', ...words, ...folderFor(words), '--home', join(home, 'countersign')], {
    env: {
      HOME: home,
      CLAUDE_CONFIG_DIR: join(home, 'claude'),
      CLAUDE_PID: String(process.pid),
      AI_AGENT: 'claude-code_2-1-326_harness',
      ...env,
    },
    ...(input === undefined ? {} : { input }),
  });

/** Calls of these tests are made in the folder of the server. */
const folderFor = (words: readonly string[]): string[] =>
  words[0] === 'install' && !words.includes('--folder') ? ['--folder', t.folder] : [];

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const mine = '{\n  "model": "opus",\n  "permissions": {\n    "allow": [\n      "Bash(ls)"\n    ]\n  }\n}\n';

describe('countersign gate install', () => {
  it('[GATE1] [GATE2] shows the changes, keeps the rest, and uninstall restores the file exactly', async () => {
    write(settings, mine);
    const installed = await gate(['install', 'claude', '-w', 'docks', '--yes', '--json']);
    expect(installed).toMatchObject({ code: 0 });
    expect(installed.stderr).toContain(`9 hooks and 2 permission settings in ${settings}`);
    expect(installed.stderr).not.toContain('"ask"');
    expect(JSON.parse(installed.stdout)).toMatchObject({ agent: 'claude', world: 'docks', files: [settings] });
    expect(JSON.parse(readFileSync(settings, 'utf8'))).toMatchObject({
      model: 'opus',
      permissions: { allow: ['Bash(ls)'], ask: ['*'] },
    });
    expect(readFileSync(`${settings}.before-countersign`, 'utf8')).toBe(mine);
    const config = join(home, 'countersign', 'gate', 'claude.json');
    expect(statSync(config).mode & 0o777).toBe(0o600);
    expect(installed.stdout + installed.stderr).not.toContain(
      (JSON.parse(readFileSync(config, 'utf8')) as { token: string }).token,
    );
    expect((await gate(['status', 'claude', '--json'])).stdout).toContain('"intact":true');

    // A second installation keeps the backup of the user's own file, and replaces the token.
    const configured = () => JSON.parse(readFileSync(config, 'utf8')) as { person: string; tokenId: string };
    const first = configured();
    const again = await gate(['install', 'claude', '-w', 'docks', '--yes']);
    expect(again.code).toBe(0);
    expect(again.stderr).toContain(`No changes to ${settings}.`);
    const { person, tokenId } = configured();
    const tokens = async () => (await t.client.tokens(person)).items.map(({ id }) => id);
    expect(await tokens()).toContain(tokenId);
    expect(await tokens()).not.toContain(first.tokenId);
    expect((await gate(['uninstall', 'claude', '--yes'])).code).toBe(0);
    expect(await tokens()).not.toContain(tokenId);
    expect(readFileSync(settings, 'utf8')).toBe(mine);
    expect(existsSync(`${settings}.before-countersign`)).toBe(false);
    expect(existsSync(config)).toBe(false);
  });

  it('[GATE1] shows every line with --verbose', async () => {
    write(settings, mine);
    const shown = await gate(['install', 'claude', '-w', 'docks', '--verbose', '--yes']);
    expect(shown.stderr).toContain('+    "ask": [');
  });

  it('[GATE7] [GATE7.1] [GATE7.2] [GATE7.3] [GATE7.7] each folder has its own world; calls elsewhere are refused, or go to a world of their own', async () => {
    const folders = ['one', 'two', 'elsewhere', 'three'].map((name) => join(home, name));
    for (const folder of folders) mkdirSync(join(folder, 'src'), { recursive: true });
    const [one = '', two = '', elsewhere = '', three = ''] = folders;
    const run = async (cwd: string, project?: string) => {
      const input = { session_id: 's', cwd, hook_event_name: 'PreToolUse', tool_name: 'TodoWrite', tool_input: {} };
      const env = { CLAUDE_PROJECT_DIR: project };
      return await gate(
        ['hook', '--agent', 'claude'],
        JSON.stringify({ ...input, tool_use_id: String(Math.random()) }),
        env,
      );
    };
    const worldOf = async (ran: Ran): Promise<string> => {
      const { hookSpecificOutput: said } = JSON.parse(ran.stdout) as { hookSpecificOutput: Record<string, string> };
      return said['permissionDecision'] === 'allow' ? 'allowed' : (said['permissionDecisionReason'] ?? '');
    };
    expect(await gate(['here', '--folder', two, '--yes'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('gate install claude') as string,
    });
    // Never the demo, or another world that is there: the folder's own.
    const installed = await gate(['install', 'claude', '--folder', one, '--yes', '--json']);
    expect(JSON.parse(installed.stdout)).toMatchObject({ world: 'one', folders: [one] });
    expect(installed.stderr).toContain('a new world, "one"');
    expect((await t.client.world('one')).value).toMatchObject({ workingDirectory: one, mode: 'ask' });
    const deny = async (world: string) => {
      const { value, etag = '' } = await t.client.policy(world);
      await t.client.setPolicy(
        world,
        { rules: [...value.rules, `deny claude__TodoWrite(to=${world})`, 'deny claude__*'] },
        { ifMatch: etag },
      );
    };
    await deny('one');
    // Refused before the server is asked.
    expect(await worldOf(await run(elsewhere))).toContain('Run "countersign gate here" in that folder');
    expect(await worldOf(await run(join(one, 'src')))).toContain('deny claude__*');
    expect((await gate(['here', '--folder', two, '--yes'])).code).toBe(0);
    const chats = async (world: string) => (await t.client.chats(world)).items.length;
    await deny('two');
    expect(await worldOf(await run(two))).toContain('deny claude__*');
    expect([await chats('one'), await chats('two')]).toEqual([1, 1]);
    // The folder in which Claude Code was started decides, not the one to which its model changed.
    await run(two, one);
    expect([await chats('one'), await chats('two')]).toEqual([1, 1]);
    expect(await worldOf(await run(one, elsewhere))).toContain('gate here');

    // A second installation keeps the folders, with a new token.
    const again = await gate(['install', 'claude', '--folder', three, '--any-folder', '--yes', '--json']);
    expect(again.code).toBe(0);
    const config = readFileSync(join(home, 'countersign', 'gate', 'claude.json'), 'utf8');
    expect(JSON.parse(config)).toMatchObject({
      folders: [{ folder: three }, { folder: one, world: 'one' }, { folder: two, world: 'two' }],
      elsewhere: { world: 'other-folders' },
    });
    await deny('other-folders');
    expect(await worldOf(await run(elsewhere))).toContain('deny claude__*');
    expect(await worldOf(await run('/gone'))).toContain('gate here');
    expect((await t.client.world('other-folders')).value).not.toHaveProperty('workingDirectory');
    const { token } = JSON.parse(config) as { token: string };
    const status = async (world: string) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ session: 'x', key: 'k', program: 'claude', tool: 'TodoWrite', arguments: {} });
      return (await fetch(`${t.client.url}/api/worlds/${world}/external/calls`, { method: 'POST', headers, body }))
        .status;
    };
    expect(await Promise.all(['one', 'two', 'three', 'other-folders', 'docks'].map(status))).toEqual([
      201, 201, 201, 201, 404,
    ]);
    for (const world of ['one', 'two', 'three', 'other-folders']) await t.client.deleteWorld(world);
    expect((await gate(['uninstall', 'claude', '--yes'])).code).toBe(0);
    expect(await status('docks')).toBe(401);
  });

  it('[GATE7] creates no world for a home folder, and none if it can’t be installed', async () => {
    const names = async () => (await t.client.worlds()).items.map(({ id }) => id);
    const before = await names();
    expect(await gate(['install', 'claude', '--folder', homedir(), '--yes'])).toMatchObject({ code: 2 });
    expect(await gate(['install', 'claude', '--folder', join(home, 'gone'), '--yes'])).toMatchObject({ code: 2 });
    mkdirSync(join(home, 'four'), { recursive: true });
    mkdirSync(`${settings}.before-countersign`, { recursive: true });
    write(settings, mine);
    expect((await gate(['install', 'claude', '--folder', join(home, 'four'), '--yes'])).code).toBe(2);
    expect(await names()).toEqual(before);
  });

  it('[GATE2] status and uninstall handle a file that changed in the meantime', async () => {
    expect((await gate(['install', 'claude', '-w', 'docks', '--yes'])).code).toBe(0);
    write(settings, readFileSync(settings, 'utf8').replace('"ask"', '"deny": ["WebFetch"],\n    "asked"'));
    const status = await gate(['status', 'claude']);
    expect(status.code).toBe(1);
    expect(status.stdout).toContain('"permissions.ask"');
    expect((await gate(['uninstall', 'claude', '--yes'])).code).toBe(0);
    expect(JSON.parse(readFileSync(settings, 'utf8'))).toEqual({ permissions: { deny: ['WebFetch'], asked: ['*'] } });
  });

  it('[GATE1.4] [GATE1.11] status checks what the agent reads in a folder, and the program that the hook runs with', async () => {
    for (const agent of ['claude', 'gemini'])
      expect((await gate(['install', agent, '-w', 'docks', '--yes'])).code).toBe(0);
    const project = join(home, 'project');
    const cases: [string, string, object | string][] = [
      ['claude', '.claude/settings.json', { disableAllHooks: true }],
      ['claude', '.claude/settings.local.json', { permissions: { defaultMode: 'dontAsk' } }],
      ['claude', '.claude/settings.json', { env: { NODE_OPTIONS: '--require ./yes.js' } }],
      ['claude', '.claude/settings.json', { permissions: { disableBypassPermissionsMode: 'no' } }],
      ['claude', '.claude/settings.json', { hooks: { PermissionRequest: [{ hooks: [{ command: 'yes' }] }] } }],
      ['gemini', '.gemini/settings.json', { hooksConfig: { enabled: false } }],
      ['gemini', '.gemini/settings.json', '{ // mine\n}'],
      ['gemini', '.gemini/settings.json', { hooks: { BeforeTool: [{ hooks: [{ command: 'swap' }] }] } }],
    ];
    const check = async (agent: string) => await gate(['status', agent, '--folder', project]);
    for (const [agent, name, found] of cases) {
      const file = join(project, name);
      write(file, typeof found === 'string' ? found : JSON.stringify(found));
      const { code, stdout } = await check(agent);
      expect([code, stdout]).toEqual([1, expect.stringContaining(file) as string]);
      write(file, '{"permissions":{"allow":["Bash(ls)"]}}');
      expect(await check(agent)).toMatchObject({ code: 0, stderr: expect.stringContaining(project) as string });
    }
    // Every file that changes the gate, and every program that starts without a call.
    const yes = '---\nhooks: { PermissionRequest: [] }\n---\n';
    write(join(project, '.claude/commands/yes.md'), yes);
    write(join(project, '.claude/skills/yes/SKILL.md'), yes);
    const starting = {
      apiKeyHelper: 'key.sh',
      statusLine: { command: 'line.sh' },
      hooks: { SessionStart: [{ hooks: [{ command: 'start.sh' }] }] },
    };
    write(join(project, '.claude/settings.json'), JSON.stringify(starting));
    write(join(project, '.mcp.json'), '{"mcpServers":{"docs":{"command":"mcp.sh"}}}');
    const listed = await check('claude');
    expect(listed.code).toBe(1);
    for (const name of ['yes.md', 'SKILL.md', 'key.sh', 'line.sh', 'start.sh', 'mcp.sh'])
      expect(listed.stdout).toContain(name);
    for (const name of ['commands', 'skills']) rmSync(join(project, '.claude', name), { recursive: true });
    write(join(project, '.gemini/settings.json'), '{"mcpServers":{"docs":{"command":"mcp.sh"}}}');
    expect(await check('gemini')).toMatchObject({ code: 0, stdout: expect.stringContaining('mcp.sh') as string });
    const record = join(home, 'countersign', 'gate', 'claude.files.json');
    const useNode = (from: string, to: string): void => {
      for (const file of [settings, record]) write(file, readFileSync(file, 'utf8').replaceAll(from, to));
    };
    useNode(process.execPath, '/bin/sh');
    const other = await check('claude');
    expect(other).toMatchObject({ code: 0, stdout: expect.stringContaining('still runs with /bin/sh') as string });
    useNode('/bin/sh', '/gone/node');
    expect(await check('claude')).toMatchObject({ code: 1, stdout: expect.stringContaining('/gone/node') as string });
  });

  it.each(['claude', 'gemini'])(
    '[GATE1.5] [GATE1.7] the hook of %s loads no code that a project names',
    // At full size, it starts more than a hundred hooks.
    { timeout: 600_000 },
    async (agent) => {
      expect((await gate(['install', agent, '-w', 'docks', '--yes'])).code).toBe(0);
      const record = readFileSync(join(home, 'countersign', 'gate', `${agent}.files.json`), 'utf8');
      const bin = fileURLToPath(new URL('../../packages/countersign/bin/countersign.js', import.meta.url));
      // Here, the program that installs it is the test runner.
      const command = (JSON.parse(record) as { command: string }).command.replace(resolve(process.argv[1] ?? ''), bin);
      expect(command).toMatch(/ --id [0-9a-f]{16}$/);
      const yes = join(home, 'yes.cjs');
      write(yes, "console.log('yes');\nprocess.exit(0);\n");
      const env = { ...process.env, NODE_OPTIONS: `--require ${yes}` };
      expect(spawnSync(process.execPath, ['-e', '0'], { env }).stdout.toString()).toBe('yes\n');
      const written = JSON.parse(
        readFileSync(agent === 'claude' ? settings : join(home, '.gemini', 'settings.json'), 'utf8'),
      ) as {
        hooks: Record<string, { hooks: { command: string; args?: string[] }[] }[]>;
      };
      const hook = written.hooks[agent === 'claude' ? 'PreToolUse' : 'BeforeTool']?.[0]?.hooks[0];
      const direct = hook?.args?.map((word) => (word === resolve(process.argv[1] ?? '') ? bin : word));
      expect(direct === undefined).toBe(agent === 'gemini');
      const ways =
        direct === undefined
          ? ['sh', 'bash'].map((shell) => [shell, '-c', command])
          : [[hook?.command ?? '', ...direct]];
      for (const [program = '', ...words] of ways) {
        const { status, stdout } = spawnSync(program, words, { env, input: '{}' });
        expect([status, stdout.toString()]).toEqual([2, '']);
      }
      if (direct === undefined) return;
      // Each variable that a project may set, with values that load code for other programs. All at once, and at full size one by one.
      const sets = isFullSize ? HARMLESS_VARIABLES.map((name) => [name]) : [HARMLESS_VARIABLES];
      for (const value of [`--require ${yes}`, yes, `node:${yes}`, `() { :;}; ${process.execPath} ${yes}`])
        for (const names of sets) {
          const set = Object.fromEntries(names.map((name) => [name, value]));
          const ran = spawnSync(hook?.command ?? '', direct, { env: { ...process.env, ...set }, input: '{}' });
          expect([names, ran.status, ran.stdout.toString()]).toEqual([names, 2, '']);
        }
    },
  );

  it('[GATE1] gates Gemini CLI with a policy that only its hook can satisfy, and writes through links', async () => {
    const real = join(home, 'dotfiles', 'gemini.json');
    const link = join(home, '.gemini', 'settings.json');
    write(real, '{}\n');
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(real, link);
    expect((await gate(['install', 'gemini', '-w', 'docks', '--yes'])).code).toBe(0);
    expect(readFileSync(real, 'utf8')).toContain('gate hook --agent gemini');
    const policy = join(home, '.gemini', 'policies', 'countersign.toml');
    expect(statSync(policy).mode & 0o777).toBe(0o600);
    const [pass = 'none'] = /[\da-f]{48}/.exec(readFileSync(policy, 'utf8')) ?? [];
    const { code, stdout, stderr } = await gate(['uninstall', 'gemini', '--yes']);
    expect(code).toBe(0);
    expect(stdout + stderr).toContain('contains a secret, so it is not shown');
    expect(stdout + stderr).not.toContain(pass);
    expect(readFileSync(link, 'utf8')).toBe('{}\n');
    expect(existsSync(policy)).toBe(false);
  });

  it.each([
    ['comments', '{ // mine\n}'],
    ['broken JSON', '{"a": }'],
    ['hooks turned off', '{"disableAllHooks":true}'],
  ])('[GATE1.3] changes nothing if the file has %s', async (_, text) => {
    write(settings, text);
    const { code, stderr } = await gate(['install', 'claude', '-w', 'docks', '--yes']);
    expect(code).toBe(2);
    expect(stderr).toContain(settings);
    expect(readFileSync(settings, 'utf8')).toBe(text);
    expect(existsSync(join(home, 'countersign', 'gate'))).toBe(false);
  });

  it('[GATE1] [GATE1.3] changes nothing without confirmation, for an unknown agent, or where it can’t write', async () => {
    write(settings, mine);
    expect((await gate(['install', 'claude', '-w', 'docks'])).code).toBe(2);
    expect((await gate(['install', 'cursor', '-w', 'docks', '--yes'])).code).toBe(2);
    expect(readFileSync(settings, 'utf8')).toBe(mine);
    // Also fails for root, unlike a file without write permission.
    mkdirSync(join(`${settings}.before-countersign`, 'full'), { recursive: true });
    const { code, stderr } = await gate(['install', 'claude', '-w', 'docks', '--yes']);
    expect(code).toBe(2);
    expect(stderr).toContain(`${settings}.before-countersign`);
    expect(readFileSync(settings, 'utf8')).toBe(mine);
    expect(existsSync(join(home, 'countersign', 'gate', 'claude.json'))).toBe(false);
  });

  it('[GATE1.3] leaves no agent and no token behind if a file can’t be written', async () => {
    write(settings, mine);
    expect((await gate(['install', 'gemini', '-w', 'docks', '--yes'])).code).toBe(0);
    const other = readFileSync(join(home, 'countersign', 'gate', 'gemini.json'), 'utf8');
    const { person } = JSON.parse(other) as { person: string };
    const known = async () => ({
      agents: (await t.client.agents('docks')).items.map(({ id }) => id),
      tokens: (await t.client.tokens(person)).items.map(({ id }) => id),
    });
    const before = await known();
    home = join(home, 'second');
    // A file where a folder is needed: it can't be written by root either.
    write(join(home, 'countersign', 'gate'), '');
    const { code, stderr } = await t.runHere(
      ['gate', 'install', 'claude', '-w', 'docks', '--name', 'Locked', '--yes', '--home', join(home, 'countersign')],
      { env: { HOME: home, CLAUDE_CONFIG_DIR: dirname(settings) } },
    );
    expect(code).toBe(2);
    expect(stderr).toContain('Could not write');
    expect(readFileSync(settings, 'utf8')).toBe(mine);
    expect(await known()).toEqual(before);
  });

  it('[GATE1.3] leaves no agent and no token behind if the configuration of an earlier hook can’t be read', async () => {
    const agents = async () => (await t.client.agents('docks')).items.map(({ id }) => id);
    const tokens = async () => await Promise.all((await t.client.people()).items.map(({ id }) => t.client.tokens(id)));
    const before = [await agents(), await tokens()];
    mkdirSync(join(home, 'countersign', 'gate', 'claude.json'), { recursive: true });
    const { code, stderr } = await gate(['install', 'claude', '-w', 'docks', '--name', 'Unread', '--yes']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('Could not read') as string]);
    expect([await agents(), await tokens()]).toEqual(before);
    expect(existsSync(settings)).toBe(false);
  });

  it('[GATE2] uninstalling a gate that isn’t installed leaves the file as it is', async () => {
    const compact = '{"permissions":{"ask":["*"],"disableBypassPermissionsMode":"disable"}}';
    write(settings, compact);
    const { code, stdout } = await gate(['uninstall', 'claude', '--yes']);
    expect(code).toBe(0);
    expect(stdout).toContain('was not gated. Nothing was changed.');
    expect(readFileSync(settings, 'utf8')).toBe(compact);
  });

  it('[GATE2] uninstall with another HOME changes nothing, and names the files of the installation', async () => {
    expect((await gate(['install', 'claude', '-w', 'docks', '--yes'])).code).toBe(0);
    const files = [settings, join(home, 'countersign', 'gate', 'claude.json')];
    const before = files.map((file) => readFileSync(file, 'utf8'));
    const elsewhere = { env: { HOME: join(home, 'other'), CLAUDE_CONFIG_DIR: '' } };
    const words = ['gate', 'uninstall', 'claude', '--yes', '--home', join(home, 'countersign')];
    const { code, stderr } = await t.runHere(words, elsewhere);
    expect([code, stderr]).toEqual([2, expect.stringContaining(settings) as string]);
    expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(before);
    expect((await gate(['uninstall', 'claude', '--yes'])).code).toBe(0);
  });

  it('[GATE2] uninstall needs no backup to restore a file', async () => {
    const asking = '{"model":"opus","permissions":{"ask":["*"],"defaultMode":"dontAsk"}}';
    const uninstall = async (): Promise<string> => {
      rmSync(`${settings}.before-countersign`);
      expect((await gate(['uninstall', 'claude', '--yes'])).code).toBe(0);
      return readFileSync(settings, 'utf8');
    };
    for (const _ of [1, 2]) {
      write(settings, asking);
      for (const __ of [1, 2]) expect((await gate(['install', 'claude', '-w', 'docks', '--yes'])).code).toBe(0);
      expect(await uninstall()).toBe(asking);
    }
    for (const isAgain of [false, true]) {
      expect((await gate(['install', 'claude', '-w', 'docks', '--yes'])).code).toBe(0);
      write(settings, readFileSync(settings, 'utf8').replace(/opus|sonnet/, isAgain ? 'haiku' : 'sonnet'));
      if (isAgain) await gate(['install', 'claude', '-w', 'docks', '--yes']);
      expect(JSON.parse(await uninstall())).toEqual(JSON.parse(asking.replace('opus', isAgain ? 'haiku' : 'sonnet')));
    }
  });

  it('[GATE2] uninstall keeps settings that may be the user’s own, and says so', async () => {
    expect((await gate(['install', 'claude', '-w', 'docks', '--yes'])).code).toBe(0);
    rmSync(join(home, 'countersign', 'gate'), { recursive: true });
    // A new installation takes nothing of the old one for the user's own file.
    expect((await gate(['install', 'claude', '-w', 'docks', '--yes'])).code).toBe(0);
    rmSync(join(home, 'countersign', 'gate'), { recursive: true });
    expect(existsSync(`${settings}.before-countersign`)).toBe(false);
    const { code, stderr } = await gate(['uninstall', 'claude', '--yes']);
    expect([code, stderr]).toEqual([0, expect.stringContaining(`Left "permissions" in ${settings}`) as string]);
    expect(JSON.parse(readFileSync(settings, 'utf8'))).toEqual({
      permissions: { ask: ['*'], disableBypassPermissionsMode: 'disable' },
    });
  });

  it('[GATE1.6] status says that every call is refused while no server can be reached or the token is invalid', async () => {
    expect((await gate(['install', 'claude', '-w', 'docks', '--yes'])).code).toBe(0);
    const status = async () => await gate(['status', 'claude']);
    const config = join(home, 'countersign', 'gate', 'claude.json');
    const { person, tokenId, url } = JSON.parse(readFileSync(config, 'utf8')) as Record<string, string>;
    expect((await status()).stdout).toBe('Claude Code: gated\n');
    await t.stop();
    const down = await status();
    expect([down.code, down.stdout]).toEqual([0, expect.stringContaining('every call is refused') as string]);
    expect(down.stdout).toContain(url);
    expect((await gate(['status', 'claude', '--json'])).stdout).toContain('"serverProblem":');
    await t.restart();
    await t.client.revokeToken(person ?? '', tokenId ?? '');
    expect((await status()).stdout).toContain('every call is refused');
    rmSync(config);
    expect((await status()).stdout).toContain('every call is refused');
  });

  it('[GATE9] status and doctor name every supported agent in PATH, and how to gate it', async () => {
    const bin = join(home, 'bin');
    for (const name of ['claude', 'codex', 'opencode']) {
      write(join(bin, name), `#!/bin/sh\necho "${name} 2.1.999"\n`);
      chmodSync(join(bin, name), 0o755);
    }
    const at = ['--home', join(home, 'countersign')];
    const env = { HOME: home, CLAUDE_CONFIG_DIR: join(home, 'claude'), PATH: bin };
    const { code, stdout } = await t.runHere(['gate', 'status', ...at], { env });
    expect(code).toBe(0);
    for (const text of ['Claude Code 2.1.999: The gate is not installed.', 'Codex 2.1.999: ', 'countersign run codex'])
      expect(stdout).toContain(text);
    expect(stdout).toContain('countersign run opencode');
    const doctor = await t.run(['doctor', '--json', '--port', '0', ...at], {
      env: { ...env, PATH: `${bin}:${process.env['PATH'] ?? ''}` },
    });
    const { items } = JSON.parse(doctor.stdout) as { items: { what: string; detail: string; advice?: string }[] };
    const found = Object.fromEntries(items.map(({ what, ...item }) => [what, item]));
    expect(found['gate: claude']?.advice).toContain('gate install claude');
    expect(found['gate: codex']).toMatchObject({
      detail: expect.stringContaining('2.1.999') as string,
      advice: expect.stringContaining('countersign run codex') as string,
    });
    expect(found['gate: gemini']).toBeUndefined();
  });

  it('[GATE1.12] status and doctor warn of tokens that expire within 14 days, and don’t extend them', async () => {
    expect((await gate(['install', 'claude', '-w', 'docks', '--yes'])).code).toBe(0);
    const config = join(home, 'countersign', 'gate', 'claude.json');
    const { tokenId = '' } = JSON.parse(readFileSync(config, 'utf8')) as Record<string, string>;
    const inDays = (days: number): number => Date.now() + days * 24 * 60 * 60 * 1000;
    const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
    const { store } = t.serving().home.engine.runtime;
    const expire = async (expiresAt: number): Promise<unknown> =>
      await store.transact('', (tx) => tx.useCredential(tokenId, { usedAt: inDays(-80), expiresAt }));
    const soon = inDays(9);
    await expire(soon);
    for (const _ of [1, 2]) expect((await gate(['status', 'claude'])).stdout).toContain(`expires on ${dayOf(soon)}`);
    const own = await t.client.createToken('owner', {
      name: 'x',
      scopes: ['read'],
      expiresAt: new Date(soon).toISOString(),
    });
    const env = { HOME: home, COUNTERSIGN_TOKEN: own.token };
    const doctor = ['doctor', '--json', '--port', '0', '--home', join(home, 'countersign')];
    const warned = (await t.run(doctor, { env })).stdout;
    expect(warned).toContain(`The token in COUNTERSIGN_TOKEN expires on ${dayOf(soon)}`);
    expect(warned).toContain(`Its token expires on ${dayOf(soon)}`);
    await expire(inDays(15));
    expect((await gate(['status', 'claude'])).stdout).toBe('Claude Code: gated\n');
  });

  it('[GATE1] needs a server that keeps running', async () => {
    const { code, stderr } = await runAlone(['gate', 'install', 'claude', '--yes'], {
      HOME: home,
      COUNTERSIGN_HOME: join(home, 'countersign'),
      CLAUDE_CONFIG_DIR: join(home, 'claude'),
    });
    expect(code).toBe(2);
    expect(stderr).toContain('No server is running.');
    expect(existsSync(settings)).toBe(false);
  });

  it('[GATE3] refuses a Claude Code that runs calls when its hook fails', async () => {
    const bin = join(home, 'bin', 'claude');
    write(bin, '#!/bin/sh\necho "2.1.294 (Claude Code)"\n');
    chmodSync(bin, 0o755);
    const env = { HOME: home, CLAUDE_CONFIG_DIR: join(home, 'claude'), PATH: dirname(bin) };
    const words = ['gate', 'install', 'claude', '-w', 'docks', '--yes', '--home', join(home, 'countersign')];
    expect(await t.runHere(words, { env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('2.1.294') as string,
    });
    expect(existsSync(settings)).toBe(false);
    // The hook checks the version of a Claude Code that only an editor knows.
    rmSync(bin);
    expect(await t.runHere(words, { env })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Claude Code is not in PATH') as string,
    });
  });

  it('[GATE1] refuses Codex, which runs a call when its hook fails', async () => {
    const { code, stderr } = await gate(['install', 'codex', '-w', 'docks', '--yes']);
    expect(code).toBe(2);
    expect(stderr).toContain('Codex runs a call when its hook fails');
  });

  it('[GATE1] says how to add opencode, which has no hook', async () => {
    const { code, stderr } = await gate(['install', 'opencode', '-w', 'docks', '--yes']);
    expect(code).toBe(2);
    expect(stderr).toContain('--command "opencode acp"');
  });
});

describe('countersign gate hook', () => {
  const call = (event: string, id: string, command: string): string =>
    JSON.stringify({
      session_id: `session-${count}`,
      cwd: t.folder,
      hook_event_name: event,
      tool_name: 'Bash',
      tool_input: { command },
      ...(event === 'PermissionRequest' ? {} : { tool_use_id: id }),
      ...(event === 'PostToolUse' ? { tool_response: 'done' } : {}),
    });
  const hook = async (input: string): Promise<Ran> => await gate(['hook', '--agent', 'claude'], input);
  const pending = async () => {
    await expect.poll(async () => (await t.client.approvals('docks')).items.length, { timeout: 30_000 }).toBe(1);
    const [approval] = (await t.client.approvals('docks')).items;
    if (approval === undefined) throw new Error('nothing is pending');
    return approval;
  };

  it('[GATE1.1] says yes once for exactly the approved call, and reports its result', async () => {
    expect((await gate(['install', 'claude', '-w', 'docks', '--yes'])).code).toBe(0);
    const asked = hook(call('PreToolUse', 'call-1', 'echo one'));
    const approval = await pending();
    expect(approval.toolName).toBe('claude__Bash');
    const edited = { command: 'echo two' };
    const edit = t.client.decide('docks', approval, { decision: 'approve', arguments: edited });
    await expect(edit).rejects.toMatchObject({ status: 409, state: 'asked' });
    await t.client.decide('docks', await pending(), { decision: 'approve', scope: 'once' });
    const { code, stdout } = await asked;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow', updatedInput: edited },
    });
    // Claude Code asks again, with the edited input. The original one, and a second time, is a no.
    expect((await hook(call('PermissionRequest', '', 'echo one'))).stdout).toContain('"behavior":"deny"');
    expect((await hook(call('PermissionRequest', '', 'echo two'))).stdout).toContain('"behavior":"allow"');
    expect((await hook(call('PermissionRequest', '', 'echo two'))).stdout).toContain('"behavior":"deny"');
    expect((await hook(call('PostToolUse', 'call-1', 'echo two'))).code).toBe(0);
    const [last] = (await t.client.chats('docks', { newest: true, limit: 1 })).items;
    const { items } = await t.client.messages('docks', last?.id ?? '');
    expect(JSON.stringify(items)).toContain('done');
  });

  it('[GATE1.1] says no if a person denies the call', async () => {
    expect((await gate(['install', 'claude', '-w', 'docks', '--yes'])).code).toBe(0);
    const asked = hook(call('PreToolUse', 'call-2', 'echo one'));
    await t.client.decide('docks', await pending(), { decision: 'deny', reason: 'not today' });
    const denied = await asked;
    expect(denied).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(denied.stdout)).toMatchObject({
      hookSpecificOutput: {
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringContaining('not today') as string,
      },
    });
  });

  it('[GATE2] a second installation denies the call of a hook that waits with the earlier token', async () => {
    const install = async () => await gate(['install', 'claude', '-w', 'docks', '--yes']);
    expect((await install()).code).toBe(0);
    const asked = hook(call('PreToolUse', 'call-4', 'echo one'));
    const approval = await pending();
    expect((await install()).code).toBe(0);
    expect(await asked).toMatchObject({ code: 2, stdout: '' });
    await t.client.decide('docks', approval, { decision: 'deny' }).catch(() => undefined);
  });

  it('[GATE1.1] rejects an unknown agent', async () => {
    expect((await gate(['hook', '--agent', 'cursor'], call('PreToolUse', 'x', 'ls'))).code).toBe(2);
  });
});

const agents = fileURLToPath(new URL('../../node_modules/.cache/countersign-agents', import.meta.url));
const claude = join(agents, 'claude', 'node_modules', '.bin', 'claude');
if (!existsSync(claude))
  process.stderr.write('Claude Code is not in the cache of `npm run verify`: it was not drilled.\n');

describe('countersign doctor on ACP agents', () => {
  const fixture = fileURLToPath(
    new URL('../../packages/countersign/dist/testing/bundle/acp-agent.js', import.meta.url),
  );

  it('[GATE6.1] [MCP1.5] [EXT3.14] says whether their programs are installed, start, and were drilled', async () => {
    const bin = join(home, 'bin');
    const script = `#!/bin/sh\n[ "$1" = --version ] && echo 1.2.3 && exit\nexec "${process.execPath}" "${fixture}" "$@"\n`;
    write(join(bin, 'opencode'), script);
    chmodSync(join(bin, 'opencode'), 0o755);
    const { id } = await t.client.createWorld({ name: 'Acp' });
    const add = async (name: string, command: string[]) =>
      await t.client.createAgent(id, { name, provider: 'acp', model: 'any', acp: { command } });
    await add('Open', ['opencode', 'acp']);
    await add('Gone', ['no-such-agent']);
    // As with npx, which the server doesn't start programs from either.
    write(join(home, 'node_modules', '.bin', 'local-agent'), script);
    chmodSync(join(home, 'node_modules', '.bin', 'local-agent'), 0o755);
    await add('Local', ['local-agent']);
    await add('Broken', ['opencode', '--exit']);
    await add('Other', ['/bin/sh', join(bin, 'opencode')]);
    const server = join(t.folder, 'home');
    await add('Nosy', [
      '/bin/sh',
      '-c',
      `[ -e ${join(server, 'countersign.db')} ] && exit 7; exec ${join(bin, 'opencode')}`,
    ]);
    const findings = async (
      more: Record<string, string> = {},
    ): Promise<Record<string, [state: string, detail: string]>> => {
      const env = {
        ...t.env,
        PATH: `${join(home, 'node_modules', '.bin')}:${bin}:${process.env['PATH'] ?? ''}`,
        ...more,
      };
      const { stdout } = await runAlone(['doctor', '--json', '--port', '0', '--home', server], env);
      const { items } = JSON.parse(stdout) as { items: { what: string; state: string; detail: string }[] };
      return Object.fromEntries(items.map(({ what, state, detail }) => [what, [state, detail]]));
    };
    const before = await findings();
    for (const words of [['mcp'], ['agents']]) {
      const { stdout } = await t.runHere([...words, 'add', '--help']);
      expect(stdout.replaceAll(/\s+/g, ' ')).toContain("it can read Countersign's own files, with its tokens");
    }
    expect(before['acp: Open']).toEqual(['warning', 'starts (world "acp"); 1.2.3 is installed, but was never drilled']);
    expect(before['acp: Gone']).toEqual(['warning', 'no-such-agent is not on this PATH (world "acp")']);
    expect(before['acp: Local']).toEqual(['warning', 'local-agent is not on this PATH (world "acp")']);
    expect(before['acp: Broken']?.[1]).toContain('does not start (world "acp"): its program exited with code 3');
    expect(before['acp: Other']).toEqual(['warning', 'starts (world "acp"), but there is no drill for its program']);
    const hidesHome = (await sharedSandbox()).kind === 'bubblewrap';
    expect(before['acp: Nosy']?.[1]).toContain(hidesHome ? 'starts (world' : 'exited with code 7');
    // Each agent that is left is started again.
    for (const agent of (await t.client.agents(id)).items)
      if (agent.name !== 'Open') await t.client.deleteAgent(id, agent.id);
    write(join(server, 'gate', 'drilled.json'), '{"acp:opencode":{"version":"1.2.3","gated":true}}');
    expect((await findings())['acp: Open']).toEqual([
      'fine',
      '1.2.3 starts (world "acp"); every row of its drill held',
    ]);
    expect((await findings({ COUNTERSIGN_TOKEN: 'another-token-0123456789-0123456789' }))['acp agents']).toEqual([
      'warning',
      expect.stringContaining('could not be listed') as string,
    ]);
  });
});

describe('countersign drill', () => {
  it('[GATE6] names the command that installs a missing agent', async () => {
    const { code, stderr } = await t.runHere(['drill', 'gemini', '--bin', join(t.folder, 'none')]);
    expect(code).toBe(2);
    expect(stderr).toContain('npm install -g @google/gemini-cli');
    expect((await t.runHere(['drill', 'cursor'])).code).toBe(2);
  });

  it.each([
    ['opencode', [], 'opencode-ai'],
    ['claude', ['--acp'], '@agentclientprotocol/claude-agent-acp'],
    ['codex', ['--acp'], '@agentclientprotocol/codex-acp'],
    ['gemini', ['--acp'], '@google/gemini-cli'],
  ])('[GATE6.1] names the package of the program that speaks ACP: %s', async (agent, flags, npm) => {
    const { code, stderr } = await t.runHere(['drill', agent, ...flags, '--bin', join(t.folder, 'none')]);
    expect(code).toBe(2);
    expect(stderr).toContain(`npm install -g ${npm}`);
  });

  itAtFullSize('[GATE6.1] kills an agent that waits, also in a view of the machine without our processes', async () => {
    const program = join(t.folder, 'asks');
    const asked = {
      method: 'session/request_permission',
      params: {
        sessionId: 's',
        toolCall: { toolCallId: 'c', kind: 'execute', rawInput: { command: 'ls' } },
        options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }],
      },
    };
    write(
      program,
      `#!${process.execPath}
if (process.argv.includes('--version')) { console.log('1.2.3'); process.exit(); }
const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (method === 'initialize') send({ id, result: { protocolVersion: 1 } });
  if (method === 'session/new') send({ id, result: { sessionId: 's' } });
  if (method === 'session/prompt') send({ ...${JSON.stringify(asked)}, id: 'ask ' + id });
  if (method === undefined) send({ id: Number(id.slice(4)), result: { stopReason: 'end_turn' } });
});
`,
    );
    chmodSync(program, 0o755);
    const words = ['drill', 'opencode', '--bin', program, '--only', 'agent killed', '--json'];
    const { stdout, stderr } = await t.run([...words, '--home', join(t.folder, 'drill')]);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject({ rows: [{ name: 'agent killed mid-wait, then allowed', held: true }] });
  });

  it.skipIf(!existsSync(claude))('[GATE6] drills the real Claude Code', { timeout: 180_000 }, async () => {
    const words = ['drill', 'claude', '--bin', claude, '--only', 'once', '--json', '--home', join(t.folder, 'drill')];
    const { stdout } = await t.run(words);
    const { agent, rows, gated } = JSON.parse(stdout) as Record<string, unknown>;
    expect({ agent, gated }).toEqual({ agent: 'claude', gated: false });
    expect(rows).toContainEqual({ name: 'allowed: runs once', held: true });
    expect(rows).toContainEqual({ name: 'two approvals at once: runs once', held: true });
    expect(rows).not.toContainEqual(expect.objectContaining({ held: false }));
  });
});
