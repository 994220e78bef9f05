import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile as write } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openWorld, scripted, type OpenedWorld } from 'countersign';
import { shellCmd, writeFile } from '@countersign/tools';
import { sharedSandbox } from '../support/shared-sandbox.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const sandbox = await sharedSandbox();

let folder: string;
let world: OpenedWorld | undefined;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'countersign-leftovers-')));
});
afterEach(async () => {
  await world?.close();
  world = undefined;
  await rm(folder, { recursive: true, force: true });
});

const there = (path: string): boolean => existsSync(join(folder, path));

/** Makes an agent call a tool in `auto` mode; returns the result for the model and the state of the chat. */
async function call(name: string, args: Record<string, unknown>, policy: readonly string[] = []) {
  await world?.close();
  const provider = scripted([{ calls: [{ name, arguments: args }] }, 'done', 'a title']);
  world = await openWorld(':memory:', {
    providers: [provider],
    tools: [shellCmd({ sandbox }), writeFile()],
    sandbox: sandbox.kind,
    workingDirectory: folder,
    policy: [...policy],
    mode: 'auto',
    agents: [{ name: 'Ada', provider: 'scripted', model: 'm', tools: ['*'] }],
  });
  const chat = await world.chat();
  await chat.send('go');
  const status = await chat.settled();
  const told = (): string =>
    (provider.requests[1]?.messages ?? [])
      .filter(({ role }) => role === 'tool')
      .map(({ content }) => content)
      .join('\n');
  return { status, told };
}

/** Names that are in no table, but that some program on some machine may run. */
const PLANT = [
  'mkdir -p .venv/bin .sometool bin node_modules/.bin src',
  'for f in .venv/bin/bwrap .sometool/startup .sometoolrc bin/git node_modules/.bin/tsc; do echo evil > $f; done',
  'chmod +x .venv/bin/bwrap bin/git node_modules/.bin/tsc',
  'echo good > src/a.ts',
].join('; ');
const PLANTED = ['.venv/bin/bwrap', '.sometool/startup', '.sometoolrc', 'bin/git', 'node_modules/.bin/tsc'];

describe.skipIf(sandbox.kind !== 'bubblewrap')('what a command leaves behind in auto mode', () => {
  it('[CHANGE4] [CHANGE4.3] is applied without new dot-files, dot-folders and executables, and the result lists the rules that would allow them', async () => {
    const first = await call('shell_cmd', { command: PLANT });
    expect(first.status).toBe('idle');
    expect(PLANTED.filter(there)).toEqual([]);
    expect(there('src/a.ts')).toBe(true);
    const rules = [...first.told().matchAll(/allow write_file\([^)]*\)/g)].map(([rule]) => rule);
    expect(rules.length).toBe(5);
    // With exactly these rules, everything is applied.
    const second = await call('shell_cmd', { command: PLANT }, rules);
    expect(PLANTED.filter((path) => !there(path))).toEqual([]);
    expect(second.told()).not.toContain('was applied');
  });

  it('[CHANGE4.2] does not lose files that were renamed to such a name', async () => {
    for (const name of ['.rc', 'dir/.x', 'dir/a', 'gone']) {
      await mkdir(join(folder, name, '..'), { recursive: true });
      await write(join(folder, name), 'mine');
    }
    await write(join(folder, 'run.sh'), 'mine', { mode: 0o755 });
    const command = 'mv run.sh build.sh; mv .rc .rc2; mv dir .dir; rm gone; mkdir dir; echo new > dir/b';
    const { told } = await call('shell_cmd', { command });
    expect(['run.sh', '.rc', 'dir/.x', 'dir/a', 'gone', 'dir/b'].filter((path) => !there(path))).toEqual([]);
    expect(['build.sh', '.rc2', '.dir'].filter(there)).toEqual([]);
    expect(told()).toContain('gone: not removed');
    // If nothing is left out, it is removed.
    await call('shell_cmd', { command: 'rm gone' });
    expect(there('gone')).toBe(false);
  });

  it('[CHANGE4] is applied completely if a person approved the call', async () => {
    const { status } = await call('shell_cmd', { command: PLANT }, ['ask shell_cmd']);
    expect(status).toBe('waiting');
    const [approval] = (await world?.approvals({ status: 'pending' })) ?? [];
    if (approval === undefined) throw new Error('nothing was asked');
    await world?.decide(approval, { decision: 'approve', scope: 'once' });
    await world?.quiet();
    expect(PLANTED.filter((path) => !there(path))).toEqual([]);
  });

  it('[CHANGE4] is not allowed by a rule for every path, every tool or another path', async () => {
    const rules = ['allow *', 'allow write_file', 'allow shell_cmd', 'allow write_file(./src/**)'];
    await call('shell_cmd', { command: PLANT }, [...rules, 'allow write_file(./bin/**)', 'deny write_file(./bin/git)']);
    expect(PLANTED.filter(there)).toEqual([]);
  });

  it('[CHANGE4.1] includes no new file in a dot-folder through a symlink, in either direction', async () => {
    await mkdir(join(folder, 'conf'));
    await mkdir(join(folder, '.real'));
    await symlink('conf', join(folder, '.sometool'));
    await symlink('.real', join(folder, 'way'));
    const command = 'echo evil > conf/startup; echo evil > way/startup; echo good > good.txt';
    const { told } = await call('shell_cmd', { command });
    expect(['conf/startup', '.real/startup', 'good.txt'].filter(there)).toEqual(['good.txt']);
    expect(told()).toContain('allow write_file(./conf/startup)');
    await call('shell_cmd', { command }, ['allow write_file(./conf/startup)']);
    expect(there('.sometool/startup')).toBe(true);
  });

  it('[CHANGE1] is applied without names in the table, whatever a rule says', async () => {
    const command =
      'echo evil > mise.toml; mkdir -p .helix; echo evil > .helix/languages.toml; echo evil > lefthook-local.yml';
    const { told } = await call('shell_cmd', { command }, ['allow write_file(./**)']);
    expect(['mise.toml', '.helix/languages.toml', 'lefthook-local.yml'].filter(there)).toEqual([]);
    expect(told()).toContain('run it automatically');
  });
});

describe('write_file in auto mode', () => {
  it('[CHANGE4.4] needs approval for a dot-file unless a rule names it', async () => {
    expect((await call('write_file', { path: '.sometoolrc', content: 'x' })).status).toBe('waiting');
    expect(there('.sometoolrc')).toBe(false);
    expect((await call('write_file', { path: 'a.txt', content: 'x' })).status).toBe('idle');
    const named = ['allow write_file(./.sometoolrc)'];
    expect((await call('write_file', { path: '.sometoolrc', content: 'x' }, named)).status).toBe('idle');
    expect(there('.sometoolrc')).toBe(true);
  });

  it('[CHANGE4.4] creates no file in a dot-folder through a symlink unless a rule names it', async () => {
    await mkdir(join(folder, 'conf'));
    await write(join(folder, 'conf/there'), 'x');
    await symlink('conf', join(folder, '.sometool'));
    const failed = await call('write_file', { path: 'conf/startup', content: 'x' });
    expect(failed.told()).toContain('allow write_file(./conf/startup)');
    expect(there('conf/startup')).toBe(false);
    await call('write_file', { path: 'conf/there', content: 'changed' });
    expect(await readFile(join(folder, 'conf/there'), 'utf8')).toBe('changed');
    await call('write_file', { path: 'conf/startup', content: 'x' }, ['allow write_file(./conf/startup)']);
    expect(there('conf/startup')).toBe(true);
  });

  it('[CHANGE1] needs approval for a name in the table, whatever a rule says', async () => {
    expect((await call('write_file', { path: 'opencode.json', content: 'x' }, ['allow write_file(./**)'])).status).toBe(
      'waiting',
    );
  });
});
