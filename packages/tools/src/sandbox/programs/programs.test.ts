import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createStdioTransport } from '../../mcp/transport/stdio-transport.js';
import { startServerProcess } from '../../mcp/transport/start-server-process.js';
import { shellCmd } from '../../shell/shell-cmd.js';
import type { ShellOptions } from '../../shell/shell-options.js';
import { makeFolder, type TestFolder } from '../../../../../tests/support/make-folder.js';
import { tryTool } from '../../testing/try-tool.js';
import { sharedSandbox } from '../../testing/shared-sandbox.js';
import { findPrograms, type Programs } from './find-programs.js';

const sandbox = await sharedSandbox();

let person: TestFolder;
let home: string;
beforeEach(async () => {
  person = await makeFolder();
  home = join(person.path, 'home');
  await mkdir(join(home, 'project'), { recursive: true });
});
afterEach(() => person.remove());

const at = (name: string): string => join(home, name);
async function put(name: string, text = 'SECRET'): Promise<void> {
  await mkdir(dirname(at(name)), { recursive: true });
  await writeFile(at(name), text);
}
async function program(name: string, text = `echo "$0"`): Promise<void> {
  await put(name, `#!/bin/sh\n${text}\n`);
  await chmod(at(name), 0o755);
}
async function link(name: string, to: string): Promise<void> {
  await mkdir(dirname(at(name)), { recursive: true });
  await symlink(/^\.\.?(?:\/|$)/.test(to) ? to : at(to), at(name));
}

describe('[SAFE4] the sandbox shows', () => {
  const find = (folders: readonly string[], avoid: readonly string[] = []): Programs =>
    findPrograms({ path: folders.map(at).join(':'), home, avoid: [at('project'), at('.countersign'), ...avoid] });
  const shown = (folders: readonly string[], avoid?: readonly string[]): string[] =>
    find(folders, avoid).shown.map((path) => path.slice(home.length + 1));

  it.each([
    ['.nvm/versions/node/v20.1.0/bin', '.nvm/versions/node/v20.1.0'],
    ['.pyenv/shims', '.pyenv'],
    ['.bun/bin', '.bun'],
    ['.deno/bin', '.deno'],
    ['.volta/bin', '.volta'],
    ['.asdf/shims', '.asdf'],
    ['.local/share/mise/installs/node/20/bin', '.local/share/mise/installs/node/20'],
    ['.sdkman/candidates/java/21/bin', '.sdkman/candidates/java/21'],
    ['.local/bin', '.local/bin'],
    ['bin', 'bin'],
    ['.cargo/bin', '.cargo/bin'],
    ['go/bin', 'go/bin'],
    ['.some-app/bin', '.some-app/bin'],
    ['.config/app/bin', '.config/app/bin'],
    ['work/tools/bin', 'work/tools/bin'],
    ['.local/share/pnpm', '.local/share/pnpm'],
    ['.local/share/uv/tools/x/bin', '.local/share/uv/tools/x'],
    ['.local/share/fnm/node-versions/v20/installation/bin', '.local/share/fnm/node-versions/v20/installation'],
    ['.virtualenvs/x/bin', '.virtualenvs/x'],
    ['.dotnet/tools', '.dotnet'],
    // Unknown installers: only the bin folder.
    ['.config/composer/vendor/bin', '.config/composer/vendor/bin'],
    ['dotfiles/.config/bin', 'dotfiles/.config/bin'],
    ['.some-app/data/bin', '.some-app/data/bin'],
    ['.local/share/some-app/bin', '.local/share/some-app/bin'],
  ])('for PATH %s: %s', async (folder, prefix) => {
    await program(`${folder}/tool`);
    expect(shown([folder])).toEqual([prefix]);
  });

  it('all of an unpacked archive, but only the programs of a repository with the same folders', async () => {
    for (const name of ['node-v20', 'work']) for (const part of ['lib', 'share']) await put(`${name}/${part}/x`);
    await program('node-v20/bin/node');
    await program('work/bin/tool');
    await put('work/.git/HEAD');
    expect(shown(['node-v20/bin', 'work/bin'])).toEqual(['node-v20', 'work/bin']);
  });

  it.each(['.config', '.local', '.local/share', 'Documents', 'scripts', '.some-app', 'dotfiles/.config'])(
    '[SAFE4] only the individual programs of PATH %s, which contains other files too',
    async (folder) => {
      await program(`${folder}/tool`);
      await put(`${folder}/notes.txt`);
      await put(`${folder}/app/token`);
      await put(`${folder}/picture.jpg`);
      await chmod(at(`${folder}/picture.jpg`), 0o755);
      await program(`${folder}/app/other`);
      expect(shown([folder])).toEqual([`${folder}/tool`]);
    },
  );

  it('[SAFE4] only the programs of a documents folder that looks like an installation', async () => {
    for (const name of ['Documents', 'Desktop', '.config'])
      for (const part of ['lib', 'share', 'include']) await put(`${name}/${part}/x`);
    for (const name of ['Documents', 'Desktop', '.config']) await program(`${name}/bin/tool`);
    expect(shown(['Documents/bin', 'Desktop/bin', '.config/bin'])).toEqual([
      'Documents/bin',
      'Desktop/bin',
      '.config/bin',
    ]);
  });

  it('the targets of symlinks, and the files that they need', async () => {
    await program('.local/share/uv/python/cpython-3.12.1/bin/python3.12');
    await link('.local/share/uv/python/cpython-3.12', './cpython-3.12.1');
    await program('.local/share/pipx/venvs/x/bin/x');
    await link('.local/share/pipx/venvs/x/bin/python', '.local/share/uv/python/cpython-3.12/bin/python3.12');
    await link('.local/bin/x', '.local/share/pipx/venvs/x/bin/x');
    await program('.local/lib/node_modules/cli/dist/cli.js');
    await link('.local/bin/cli', '../lib/node_modules/cli/dist/cli.js');
    await program('.local/share/app/versions/1.2');
    await link('.local/bin/app', '.local/share/app/versions/1.2');
    await program('.cargo/bin/cargo');
    await put('.cargo/credentials.toml');
    await put('.rustup/settings.toml', '');
    const { links, environment } = find(['.local/bin', '.cargo/bin']);
    expect(shown(['.local/bin', '.cargo/bin']).sort()).toEqual([
      '.cargo/bin',
      '.local/bin',
      '.local/lib/node_modules',
      '.local/share/app/versions/1.2',
      '.local/share/pipx/venvs/x',
      '.local/share/uv/python/cpython-3.12.1',
      '.rustup',
    ]);
    expect(links).toEqual([
      { at: at('.local/share/uv/python/cpython-3.12'), to: at('.local/share/uv/python/cpython-3.12.1') },
    ]);
    expect(environment).toEqual({ RUSTUP_HOME: at('.rustup') });
  });

  it('[SAFE4] never the home, a project, folders that agents write to, secrets or our files', async () => {
    await program('project/bin/tool');
    await program('other/bin/tool');
    await program('.countersign/bin/tool');
    await program('.ssh/bin/tool');
    await program('.aws/cli/bin/aws');
    await put('.ssh/id_rsa');
    await chmod(at('.ssh/id_rsa'), 0o700);
    await link('.local/bin/key', '.ssh/id_rsa');
    await link('.local/bin/home', '.');
    await link('.local/bin/store', '.countersign/bin/tool');
    await link('.local/bin/mine', 'project/bin/tool');
    await put('notes.txt');
    await link('.local/bin/notes', 'notes.txt');
    const folders = ['', '.', '..', 'project/bin', 'other/bin', '.countersign/bin', '.ssh', '.ssh/bin', '.aws/cli/bin'];
    expect(shown([...folders, '.local/bin', 'node_modules/.bin'], [at('other')])).toEqual(['.local/bin']);
  });

  it('[SAFE4] never files next to programs that look like secrets', async () => {
    await program('.nvm/versions/node/v20/bin/node');
    for (const name of ['.npmrc', 'etc/npmrc', 'credentials.json', '.env', 'auth.json', 'server.key', '.ssh/id'])
      await put(`.nvm/versions/node/v20/${name}`);
    for (const name of ['lib/cacert.pem', 'README.md', 'bin/get-token']) await put(`.nvm/versions/node/v20/${name}`);
    const { hidden } = find(['.nvm/versions/node/v20/bin']);
    expect(hidden.map((path) => path.slice(at('.nvm/versions/node/v20/').length)).sort()).toEqual(
      ['.env', '.npmrc', '.ssh', 'auth.json', 'credentials.json', 'etc/npmrc', 'server.key'].sort(),
    );
  });
});

// Without bubblewrap, the setup has reported that these tests are skipped.
describe.skipIf(sandbox.kind !== 'bubblewrap')('[SAFE4] programs in a home', () => {
  const { HOME: formerHome, PATH: formerPath } = process.env;
  const usePath = (...folders: string[]): void => {
    process.env['PATH'] = [...folders.map(at), formerPath].join(':');
  };
  beforeEach(() => {
    process.env['HOME'] = home;
  });
  afterEach(() => {
    process.env['HOME'] = formerHome;
    process.env['PATH'] = formerPath;
  });

  async function run(command: string, options: Partial<ShellOptions> = {}) {
    const tool = shellCmd({ sandbox, hide: [at('.countersign')], ...options });
    const tried = await tryTool(tool, { command }, { workingDirectory: at('project') });
    return tried.result as { exitCode: number; stdout: string; stderr: string; note?: string };
  }

  it('run as commands, and nothing else of the home is visible or writable', async () => {
    const node = '.nvm/versions/node/v20.1.0';
    await mkdir(at(`${node}/bin`), { recursive: true });
    await program(`${node}/bin/node`, `exec ${process.execPath} "$@"`);
    await put(`${node}/lib/node_modules/npm/bin/npx-cli.js`, '#!/usr/bin/env node\nconsole.log(require("./x"))\n');
    await chmod(at(`${node}/lib/node_modules/npm/bin/npx-cli.js`), 0o755);
    await put(`${node}/lib/node_modules/npm/bin/x.js`, 'module.exports = "npx runs"\n');
    await link(`${node}/bin/npx`, '../lib/node_modules/npm/bin/npx-cli.js');
    await put(`${node}/etc/npmrc`, 'SECRET');
    await program('.local/share/pipx/venvs/x/bin/x', 'cat "$(dirname "$(readlink -f "$0")")/../lib/data"');
    await put('.local/share/pipx/venvs/x/lib/data', 'x runs');
    await link('.local/bin/x', '.local/share/pipx/venvs/x/bin/x');
    await program('.sdkman/candidates/java/21/bin/java', 'echo java runs');
    await link('.sdkman/candidates/java/current', './21');
    await program('.cargo/bin/cargo', 'echo cargo runs, $RUSTUP_HOME');
    for (const secret of ['.cargo/credentials.toml', '.ssh/id_rsa', '.config/app/token', '.countersign/token', 'notes'])
      await put(secret);
    await put('.rustup/settings.toml', '');
    await put('.local/share/keyrings/login.keyring');
    usePath(`${node}/bin`, '.local/bin', '.sdkman/candidates/java/current/bin', '.cargo/bin');
    // Our own Node may be in a real home.
    const show = [process.execPath];
    const { stdout, stderr } = await run('npx; x; java; cargo; type -p npx x', { show });
    expect({ stdout, stderr }).toEqual({
      stdout: `npx runs\nx runsjava runs\ncargo runs, ${at('.rustup')}\n${at(`${node}/bin/npx`)}\n${at('.local/bin/x')}\n`,
      stderr: '',
    });
    const found = await run(
      `grep -rs SECRET ${home} /proc/self/root${home}; ls -A ${home} ${home}/.cargo; cat ${at(node)}/etc/npmrc`,
    );
    expect(found.stdout).not.toContain('SECRET');
    expect(found.stdout).toBe(`${home}:\n.cargo\n.local\n.nvm\n.rustup\n.sdkman\nproject\n\n${home}/.cargo:\nbin\n`);
    const written = await run(
      `for f in ${at(node)}/bin/node ${at('.local/bin')}/new ${at('.cargo')}/new; do echo evil > $f; done; rm ${at('.local/bin/x')}`,
    );
    expect(written.stderr.match(/Read-only file system/g)?.length).toBe(3);
    expect([at('.cargo/new'), at('.local/bin/new')].filter((path) => existsSync(path))).toEqual([]);
    expect(await readFile(at(`${node}/bin/node`), 'utf8')).not.toContain('evil');
  });

  it('[SAFE4] are not run from folders that agents of any world write to', async () => {
    await program('other/bin/tool', 'echo evil');
    usePath('other/bin');
    expect((await run('tool')).stdout).toBe('evil\n');
    const { stdout, exitCode } = await run('tool', { writable: async () => [at('other')] });
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 127 });
  });

  it('a note names only the hidden program and the rule that makes it readable', async () => {
    await program('other/bin/tool');
    await put('.ssh/known');
    usePath('other/bin');
    const writable = async (): Promise<string[]> => [at('other')];
    const { note } = await run('tool; known; echo known: command not found >&2; no-such-program', { writable });
    expect(note).toBe(
      'tool is at ~/other/bin/tool, which the sandbox hides; the rule `allow sandbox_folder(~/other)` makes it readable',
    );
  });

  it('run as MCP servers, along with folders that a rule opens', async () => {
    if (sandbox.kind === 'none') return;
    await program(
      '.local/share/pipx/venvs/srv/bin/srv',
      `cat ${at('lib/data')} 2>&1; cat ${at('notes')} 2>&1; echo; cat`,
    );
    await link('.local/bin/srv', '.local/share/pipx/venvs/srv/bin/srv');
    await put('lib/data', 'opened\n');
    await put('notes');
    usePath('.local/bin');
    const definition = {
      name: 'srv',
      transport: 'stdio',
      command: 'srv',
      args: [],
      env: {},
      network: false,
      trusted: false,
      enabled: true,
    } as const;
    const place = { sandbox, hide: [], show: [], workingDirectory: at('project') };
    const start = async (folders: readonly string[]): Promise<string> => {
      const process = await startServerProcess(
        { ...definition, args: [] },
        { ...place, grants: { folders, privateHosts: [] } },
      );
      process.stdin.end();
      let said = '';
      for await (const chunk of process.stdout) said += String(chunk);
      await process.end();
      return said;
    };
    expect(await start([])).not.toContain('opened');
    const said = await start([at('lib')]);
    expect(said).toContain('opened');
    expect(said).not.toContain('SECRET');
  });

  it('an MCP server that exits immediately reports how it exited and what the sandbox hides from it', async () => {
    if (sandbox.kind === 'none') return;
    await put('tools/server.js', '');
    const place = { sandbox, hide: [], show: [process.execPath], workingDirectory: at('project') };
    let said = '';
    const transport = createStdioTransport(
      {
        ...{ name: 'srv', transport: 'stdio', command: process.execPath, args: [at('tools/server.js')], env: {} },
        ...{ network: false, trusted: false, enabled: true },
      },
      place,
      (text) => (said += text),
    );
    await transport.start();
    const words = async (): Promise<string> => {
      for (;;) {
        try {
          await transport.send({ jsonrpc: '2.0', method: 'ping' });
        } catch (error) {
          return String(error);
        }
      }
    };
    expect(await words()).toMatch(/: it exited with code 1|the server is not running/);
    await transport.close();
    expect(said).toContain('Cannot find module');
    expect(said).toContain(
      '~/tools/server.js is in a folder that the sandbox hides; the rule `allow sandbox_folder(~/tools)` makes it readable',
    );
  });

  it('a script that looks for its program in $HOME fails with an error that names the sandbox', async () => {
    if (sandbox.kind === 'none') return;
    await program('.local/share/uv/tools/srv/bin/srv', 'echo "$0" runs >&2');
    await program('.local/bin/start-srv', 'exec "$HOME/.local/share/uv/tools/srv/bin/srv"');
    await link('.local/bin/srv', '.local/share/uv/tools/srv/bin/srv');
    usePath('.local/bin');
    const say = async (env: Record<string, string>): Promise<string> => {
      let said = '';
      const definition = { name: 'srv', transport: 'stdio', command: 'start-srv', args: [], env } as const;
      const transport = createStdioTransport(
        { ...definition, args: [], network: false, trusted: false, enabled: true },
        { sandbox, hide: [], show: [], workingDirectory: at('project') },
        (text) => (said += text),
      );
      const closed = new Promise<void>((resolve) => void Object.assign(transport, { onclose: resolve }));
      await transport.start();
      await closed;
      return said;
    };
    expect(await say({})).toContain(
      'In the sandbox, HOME is /tmp, which is empty. Use full paths, or set HOME for this server (HOME=/home/you)',
    );
    const repaired = await say({ HOME: home });
    expect(repaired).toContain('.local/share/uv/tools/srv/bin/srv runs');
    expect(repaired).not.toContain('In the sandbox, HOME');
  });

  it('[RULE1] are hidden if a rule denies their path', async () => {
    await program('.local/bin/tool', 'echo runs');
    usePath('.local/bin');
    const protectedPaths = {
      isProtected: (path: string) => path === at('.local/bin/tool'),
      mayHold: (folder: string) =>
        at('.local/bin/tool').startsWith(folder) ? ('fixed' as const) : ('nothing' as const),
    };
    const tool = shellCmd({ sandbox });
    const context = { workingDirectory: at('project'), protectedPaths };
    expect(await tryTool(tool, { command: 'tool' }, context)).toMatchObject({ ok: false });
    expect(execFileSync(at('.local/bin/tool'), { encoding: 'utf8' })).toBe('runs\n');
  });
});
