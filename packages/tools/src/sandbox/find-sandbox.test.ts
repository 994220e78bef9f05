import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolder, type TestFolder } from '../../../../tests/support/make-folder.js';
import { bubblewrapArguments } from './bubblewrap-arguments.js';
import { findFixedPaths } from './find-fixed-paths.js';
import { findSandbox } from './find-sandbox.js';
import { checkWorkingFolder } from './find-hidden.js';
import { SYSTEM_FOLDERS } from '@countersign/changes';
import { sandboxExecProfile, runsLaterPatterns } from './sandbox-exec-profile.js';
import { describeSandbox, type Sandbox } from './sandbox.js';

const bubblewrap: Extract<Sandbox, { kind: 'bubblewrap' }> = {
  kind: 'bubblewrap',
  program: '/usr/bin/bwrap',
  userNamespace: ['--unshare-user'],
  sizeArguments: ['--size', '1024'],
  drafting: { how: 'bubblewrap', program: '/usr/bin/bwrap', folder: '/nowhere', flock: 'flock' },
};
const found = await findSandbox();

let folder: TestFolder;
beforeEach(async () => {
  folder = await makeFolder();
});
afterEach(() => folder.remove());

describe('findSandbox', () => {
  it('[SAFE1] accepts only a sandbox that actually runs, and otherwise gives the reason', async () => {
    await writeFile(join(folder.path, 'bwrap'), '#!/bin/sh\necho "no namespaces here" >&2\nexit 1\n', { mode: 0o755 });
    expect(await findSandbox({ platform: 'linux', folders: [folder.path, ...SYSTEM_FOLDERS] })).toEqual({
      kind: 'none',
      reason: 'bubblewrap is installed but does not work here (no namespaces here)',
    });
  });

  it.skipIf(found.kind !== 'bubblewrap')('falls back to the features of an older version', async () => {
    if (found.kind !== 'bubblewrap') return;
    const refuse = 'case " $* " in *--disable-userns*) echo unknown >&2; exit 1;; esac';
    await writeFile(join(folder.path, 'bwrap'), `#!/bin/sh\n${refuse}\nexec ${found.program} "$@"\n`, { mode: 0o755 });
    expect(await findSandbox({ platform: 'linux', folders: [folder.path, ...SYSTEM_FOLDERS] })).toMatchObject({
      kind: 'bubblewrap',
      program: join(folder.path, 'bwrap'),
      userNamespace: ['--unshare-user'],
    });
  });

  it.skipIf(found.kind !== 'bubblewrap')(
    '[SAFE1] does not fall back to a weaker sandbox because the machine is busy',
    async () => {
      if (found.kind !== 'bubblewrap') return;
      const slowOnce = `mkdir '${folder.path}/tried' 2> /dev/null && sleep 6`;
      await writeFile(join(folder.path, 'bwrap'), `#!/bin/sh\n${slowOnce}\nexec ${found.program} "$@"\n`, {
        mode: 0o755,
      });
      expect(await findSandbox({ platform: 'linux', folders: [folder.path, ...SYSTEM_FOLDERS] })).toMatchObject({
        kind: 'bubblewrap',
        userNamespace: found.userNamespace,
      });
    },
  );

  it.skipIf(found.kind !== 'bubblewrap')(
    '[SAFE1] finds no sandbox in a container that masks parts of /proc, as Docker does even without seccomp and AppArmor',
    async () => {
      if (found.kind !== 'bubblewrap') return;
      const { program } = found;
      const container = `${program} --unshare-user --uid 1000 --gid 1000 --cap-drop ALL --unshare-pid --dev-bind / / --proc /proc`;
      const masked = `${container} --ro-bind /dev/null /proc/meminfo`;
      await writeFile(join(folder.path, 'bwrap'), `#!/bin/sh\nexec ${masked} ${program} "$@"\n`, { mode: 0o755 });
      expect(await findSandbox({ platform: 'linux', folders: [folder.path, ...SYSTEM_FOLDERS] })).toEqual({
        kind: 'none',
        reason: expect.stringContaining("Can't mount proc") as string,
      });
    },
  );

  it.skipIf(found.kind !== 'bubblewrap')('[CHANGE1.1] uses copies where no overlay can be mounted', async () => {
    if (found.kind !== 'bubblewrap') return;
    const without = 'case " $* " in *--overlay*) echo "no overlays here" >&2; exit 1;; esac';
    await writeFile(join(folder.path, 'bwrap'), `#!/bin/sh\n${without}\nexec ${found.program} "$@"\n`, { mode: 0o755 });
    await symlink(found.drafting.flock, join(folder.path, 'flock'));
    expect(await findSandbox({ platform: 'linux', folders: [folder.path] })).toEqual({
      ...{ ...found, program: join(folder.path, 'bwrap') },
      drafting: {
        how: 'copy',
        folder: found.drafting.folder,
        flock: join(folder.path, 'flock'),
        reason: 'no overlays here',
      },
    });
  });

  it('[CHANGE1] rejects a sandbox that can’t keep writes out of the folder until they are inspected', async () => {
    await writeFile(join(folder.path, 'bwrap'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    expect(await findSandbox({ platform: 'linux', folders: [folder.path, ...SYSTEM_FOLDERS] })).toEqual({
      kind: 'none',
      reason: expect.stringMatching(/no draft could be made of a folder/) as string,
    });
  });

  it.skipIf(found.kind !== 'bubblewrap')('puts its drafts elsewhere if the cache folder is unsuitable', async () => {
    const former = process.env['XDG_CACHE_HOME'];
    try {
      for (const cache of ['/proc/none', join(folder.path, 'file')]) {
        await writeFile(join(folder.path, 'file'), '');
        process.env['XDG_CACHE_HOME'] = cache;
        const other = await findSandbox();
        expect(other).toMatchObject({
          kind: 'bubblewrap',
          drafting: { folder: expect.not.stringContaining(cache) as string },
        });
      }
      process.env['XDG_CACHE_HOME'] = folder.path;
      await mkdir(join(folder.path, `countersign-drafts-${process.getuid?.()}`), { mode: 0o777 });
      await chmod(join(folder.path, `countersign-drafts-${process.getuid?.()}`), 0o777);
      expect(await findSandbox()).toMatchObject({
        drafting: { folder: expect.not.stringContaining(folder.path) as string },
      });
    } finally {
      if (former === undefined) delete process.env['XDG_CACHE_HOME'];
      else process.env['XDG_CACHE_HOME'] = former;
    }
  });

  it('reports systems that have no sandbox', async () => {
    expect(await findSandbox({ platform: 'win32', folders: [] })).toMatchObject({ kind: 'none' });
  });
});

it('[SAFE1.1] refuses a working folder from which we start programs', () => {
  const check = (workingDirectory: string) => () =>
    checkWorkingFolder({
      workingDirectory,
      home: '/home/nobody',
      hide: [],
      show: [],
      protectedPaths: undefined,
      network: 'none',
    });
  expect(check('/usr/bin')).toThrow('from which Countersign starts programs');
  expect(check('/usr')).toThrow('from which Countersign starts programs');
  expect(check('/usr/share/doc')).not.toThrow();
});

describe('describeSandbox', () => {
  it('[CALL7.1] a different sandbox or network changes the call hash', () => {
    expect(describeSandbox(bubblewrap)).toBe('bubblewrap, no network');
    expect(describeSandbox(bubblewrap, { network: 'host' })).toBe('bubblewrap, network');
    expect(describeSandbox(bubblewrap, { network: 'public' })).toBe('bubblewrap, public network');
    expect(describeSandbox({ kind: 'sandbox-exec', program: 'x' })).toBe('sandbox-exec, no network');
    expect(describeSandbox({ kind: 'none', reason: 'x' })).toBe('none');
  });
});

describe('bubblewrapArguments', () => {
  const view = {
    workingDirectory: '/home/p/work',
    place: ['--bind', '/home/p/work', '/home/p/work'],
    hiddenFolders: ['/tmp', '/home'],
    hiddenFiles: ['/srv/s.sock'],
    shown: ['/home/p/.nvm'],
    hiddenByRules: [],
    links: [],
    more: [],
    fixed: [{ path: '/home/p/srv/.git/config', how: 'read-only' as const }],
    network: 'none' as const,
  };

  it('hides folders before it shows others, and makes paths read-only last', () => {
    const words = bubblewrapArguments(bubblewrap, view).join(' ');
    const order = [
      '--tmpfs /home',
      '--ro-bind /home/p/.nvm',
      '--bind /home/p/work',
      '--ro-bind /home/p/srv/.git/config',
    ];
    const places = order.map((part) => words.indexOf(part));
    expect(places.every((place) => place > 0)).toBe(true);
    expect([...places].sort((a, b) => a - b)).toEqual(places);
  });

  it('the inner one of two nested folders wins', () => {
    const words = bubblewrapArguments(bubblewrap, {
      ...view,
      hiddenFolders: ['/home/p/lib/ours', '/home', '/home/p', '/tmp', '/tmp/x'],
      shown: ['/home/p/lib/ours/open', '/home/p/lib', '/home/p/lib/sub', '/usr/lib', '/tmp/y'],
    }).join(' ');
    const order = [
      '--tmpfs /home',
      '--ro-bind /home/p/lib',
      '--tmpfs /home/p/lib/ours',
      '--ro-bind /home/p/lib/ours/open',
    ];
    const places = order.map((part) => words.indexOf(`${part} `));
    expect([...places].sort((a, b) => a - b)).toEqual(places);
    expect(places[0]).toBeGreaterThan(0);
    for (const needless of ['--tmpfs /home/p ', '/home/p/lib/sub', '/usr/lib', '/tmp/x'])
      expect(words).not.toContain(needless);
    expect(words).toContain('--ro-bind /tmp/y /tmp/y');
  });

  it('[CHANGE3.1] limits the size of every writable folder except the working folder', () => {
    const words = bubblewrapArguments(bubblewrap, { ...view, hiddenFolders: ['/tmp', '/var/tmp', '/home'] }).join(' ');
    for (const folder of ['/tmp', '/var/tmp', '/dev/shm']) expect(words).toContain(`--size 1024 --tmpfs ${folder} `);
    for (const folder of ['/dev', '/home']) expect(words).toContain(`--remount-ro ${folder} `);
  });

  it('shares the network only on request', () => {
    expect(bubblewrapArguments(bubblewrap, view)).toContain('--unshare-net');
    expect(bubblewrapArguments(bubblewrap, { ...view, network: 'public' })).toContain('--unshare-net');
    expect(bubblewrapArguments(bubblewrap, { ...view, network: 'host' })).not.toContain('--unshare-net');
  });
});

const nothing = { paths: [], inDotFolders: [], known: true };

describe('findFixedPaths', () => {
  it('[CHANGE1] finds files that programs run automatically at any depth, and pins their parents', async () => {
    const at = (name: string): string => join(folder.path, name);
    await mkdir(at('.git/hooks'), { recursive: true });
    await writeFile(at('.git/config'), '');
    await mkdir(at('packages/a/.vscode'), { recursive: true });
    await mkdir(at('node_modules/x/.git'), { recursive: true });
    expect(await findFixedPaths(folder.path, nothing)).toEqual([
      { path: at('.git'), how: 'pinned' },
      { path: at('.git/config'), how: 'read-only' },
      { path: at('.git/hooks'), how: 'read-only' },
      { path: at('packages'), how: 'pinned' },
      { path: at('packages/a'), how: 'pinned' },
      { path: at('packages/a/.vscode'), how: 'read-only' },
    ]);
  });

  it('[CHANGE5.2] finds files that Git’s configuration names, and all of .git if Git can’t read it', async () => {
    const at = (name: string): string => join(folder.path, name);
    await mkdir(at('.git/hooks'), { recursive: true });
    await mkdir(at('scripts/hooks'), { recursive: true });
    expect(
      await findFixedPaths(folder.path, { paths: ['scripts/hooks', 'not-there'], inDotFolders: [], known: false }),
    ).toEqual([
      { path: at('.git'), how: 'read-only' },
      { path: at('scripts'), how: 'pinned' },
      { path: at('scripts/hooks'), how: 'read-only' },
    ]);
  });

  it('[CHANGE1] finds files that programs run automatically despite many new folders, and fails if there are too many', async () => {
    await mkdir(join(folder.path, 'sub/inner/.vscode'), { recursive: true });
    for (let n = 0; n < 1_100; n += 1) await mkdir(join(folder.path, `new${n}`));
    expect(await findFixedPaths(folder.path, nothing)).toContainEqual({
      path: join(folder.path, 'sub/inner/.vscode'),
      how: 'read-only',
    });
    await expect(findFixedPaths(folder.path, nothing, 1_000)).rejects.toThrow('has more than 1,000 folders');
  });

  it('refuses a symlink, which could be replaced', async () => {
    await mkdir(join(folder.path, '.git'));
    await symlink('/etc', join(folder.path, '.git', 'hooks'));
    await expect(findFixedPaths(folder.path, nothing)).rejects.toThrow("can't be protected");
  });
});

describe('sandboxExecProfile', () => {
  const confinement = {
    workingDirectory: '/Users/p/"work"',
    home: '/Users/p',
    hide: ['/Users/p/.countersign'],
    show: [],
    network: 'none' as const,
  };

  it('denies our files and files that programs run automatically again at the end, after all allow rules', () => {
    const lines = sandboxExecProfile(
      confinement,
      { paths: ['hooks'], inDotFolders: [], known: true },
      '/private/var/t',
    ).split('\n');
    expect(lines.slice(-2)).toEqual([
      String.raw`(deny file-write* (subpath "/Users/p/\"work\"/hooks"))`,
      '(deny file-read* file-write* (subpath "/Users/p/.countersign"))',
    ]);
    expect(lines).toContain('(deny network*)');
    expect(lines).toContain(
      '(allow file-read* file-write* (subpath "/Users/p/\\"work\\"") (subpath "/private/var/t"))',
    );
  });

  it('[CHANGE1] denies files that programs run automatically by name at any depth, and leaves the rest of .git writable', () => {
    const mayWrite = (path: string): boolean =>
      runsLaterPatterns('/w (1)').findLast(({ pattern }) => new RegExp(pattern).test(`/w (1)/${path}`))?.effect !==
      'deny';
    const closed = ['.git', '.GIT', '.git/config', 'a/b/.git', 'a/.git/hooks/x', '.git/commondir', 'HEAD', 'a/HEAD'];
    const alsoClosed = ['.vscode', '.vscode/tasks.json', 'a/.Idea/x', '.envrc', 'x.code-workspace', '.mcp.json'];
    expect([...closed, ...alsoClosed].filter(mayWrite)).toEqual([]);
    const open = [
      '.git/HEAD',
      '.git/index',
      '.git/refs/remotes/origin/HEAD',
      'a.ts',
      '.gitignore',
      'my.vscode',
      'HEADER',
    ];
    expect(open.filter((path) => !mayWrite(path))).toEqual([]);
  });

  it('balances its parentheses, whatever a folder is called', () => {
    const profile = sandboxExecProfile({ ...confinement, workingDirectory: '/a"b\\c' }, nothing, '/t');
    const bare = profile.replaceAll(/"(?:[^"\\]|\\.)*"/g, '');
    expect(bare.split('(').length).toBe(bare.split(')').length);
    expect(bare).not.toContain('"');
  });
});
