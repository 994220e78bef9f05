import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolder, type TestFolder } from '../../../../tests/support/make-folder.js';
import { findGit, readSettings } from './read-git-config.js';
import { namedInSettings } from './named-in-settings.js';

let folder: TestFolder;
let home: TestFolder;
beforeEach(async () => {
  folder = await makeFolder();
  home = await makeFolder();
});
afterEach(async () => {
  await folder.remove();
  await home.remove();
});

const at = (...names: string[]): string => join(folder.path, ...names);
const put = async (path: string, text = ''): Promise<void> => {
  await mkdir(dirname(at(path)), { recursive: true });
  await writeFile(at(path), text);
};
/** Creates only the configuration of a repository. */
const repository = async (path: string, settings: string): Promise<void> => {
  await mkdir(at(path, '.git', 'hooks'), { recursive: true });
  await put(join(path, '.git/config'), settings);
};
const ask = (workingDirectory = folder.path, folders: readonly string[] = []) =>
  namedInSettings(workingDirectory, folders, { ...findGit(), home: home.path });
const named = async (workingDirectory?: string, folders?: readonly string[]): Promise<readonly string[]> => {
  const { paths, known } = await ask(workingDirectory, folders);
  expect(known).toBe(true);
  return paths;
};

describe('[CHANGE5] what Git’s configuration names', () => {
  it.each([
    ['hooks on one line, with a comment', '[core] hooksPath = my-hooks ; of the team\n', 'my-hooks'],
    ['hooks in quotes, in any case', '[CORE]\n\tHooksPath = "my hooks" # these\n', 'my hooks'],
    ['hooks over two lines', '[core]\n\thooksPath = my-\\\nhooks\n', 'my-hooks'],
    ['hooks inside .git', '[core]\n\thooksPath = .git/mine\n', '.git/mine'],
    ['the last of two values', '[core]\n\thooksPath = one\n[core]\n\thooksPath = two\n', 'two'],
    ['an included file', '[include]\n\tpath = ../team.cfg\n', 'team.cfg'],
    ['a conditionally included file', '[includeIf "onbranch:x"] path = ../team.cfg\n', 'team.cfg'],
    ['a monitor', '[core]\n\tfsmonitor = sub/watch --fast\n', 'sub/watch'],
    ['a filter', '[filter "a.b"]\n\tclean = "tools/clean" %f\n', 'tools/clean'],
    ['a converter', '[diff "x"]\n\ttextconv = python3 tc.py\n', 'tc.py'],
    ['a driver', '[merge "x"]\n\tdriver = ./merge %A\n', 'merge'],
    ['an alias', '[alias]\n\tt = "!f() { sh ./t.sh; }; f"\n', 't.sh'],
    ['an editor', '[core]\n\teditor = bin/edit\n', 'bin/edit'],
    ['a pager', '[pager]\n\tlog = bin/page\n', 'bin/page'],
    ['ssh', '[core]\n\tsshCommand = ssh -F ./ssh.conf\n', 'ssh.conf'],
    ['a helper', '[credential "https://example.com"]\n\thelper = "!./secret"\n', 'secret'],
    ['a signer', '[gpg]\n\tprogram = bin/sign\n', 'bin/sign'],
    ['hooks of their own', '[hook "lint"]\n\tcommand = bin/lint\n\tevent = pre-commit\n', 'bin/lint'],
  ])('%s', async (_name, settings, path) => {
    await repository('.', settings);
    expect(await named()).toContain(path);
  });

  it('covers included files at any depth and under any condition', async () => {
    await repository('.', '[includeIf "gitdir:/nowhere/"]\n\tpath = ../one.cfg\n');
    await put('one.cfg', '[include]\n\tpath = cfg/two.cfg\n');
    await put('cfg/two.cfg', '[includeIf "onbranch:later"]\n\tpath = three.cfg\n');
    await put('cfg/three.cfg', '[core]\n\thooksPath = checks\n');
    expect(await named()).toEqual(expect.arrayContaining(['one.cfg', 'cfg/two.cfg', 'cfg/three.cfg', 'checks']));
  });

  it('includes the user’s own configuration outside the folder', async () => {
    await repository('.', '');
    await writeFile(join(home.path, '.gitconfig'), '[core]\n\thooksPath = team-hooks\n');
    expect(await named()).toContain('team-hooks');
  });

  it('includes repositories in a subfolder, above the folder, and deeper where a call writes', async () => {
    await repository('sub', '[core]\n\thooksPath = checks\n');
    await repository('a/b/c/d/e/f', '[core]\n\thooksPath = deep\n');
    expect(await named()).toContain('sub/checks');
    expect(await named()).not.toContain('a/b/c/d/e/f/deep');
    expect(await named(folder.path, [at('a/b/c/d/e/f')])).toContain('a/b/c/d/e/f/deep');
    await mkdir(at('sub/inner'));
    await appendFile(at('sub/.git/config'), '[core]\n\thooksPath = inner/checks\n');
    expect(await named(at('sub/inner'))).toEqual(['checks']);
  });

  it('includes another user’s configuration, whose home may be any parent folder', async () => {
    const inside = join('team', 'proj');
    await repository(inside, '[core]\n\thooksPath = ~team/proj/checks\n[alias]\n\tt = "!~team/bin/t"\n');
    expect(await named(at(inside))).toEqual(expect.arrayContaining(['proj/checks', 'checks', 'bin/t']));
    await appendFile(at(inside, '.git/config'), '[includeIf "onbranch:x"]\n\tpath = ~nobody-of-that-name/more.cfg\n');
    expect(await ask(at(inside))).toMatchObject({ known: false });
  });

  it('includes a repository behind many folders', async () => {
    await repository('sub/inner', '[core]\n\thooksPath = ../../shared\n');
    for (let n = 0; n < 1_100; n += 1) await mkdir(at(`new${n}`));
    expect(await named()).toContain('shared');
  });

  it('is unknown if there are more folders than the limit', async () => {
    for (let n = 0; n < 10; n += 1) await mkdir(at(`new${n}`));
    const git = { ...findGit(), home: home.path };
    expect(await namedInSettings(folder.path, [], git, 10)).toMatchObject({ known: false });
    expect(await namedInSettings(folder.path, [], git, 11)).toMatchObject({ known: true });
  });

  it('[CHANGE1] includes the targets of symlinks whose names programs run automatically, including in subfolders', async () => {
    for (const path of ['conf/x', 'sub/.vscode/x', 'sub/plain/x']) await put(path);
    await symlink('../conf', at('sub/.husky'));
    await symlink('../plain/tasks.json', at('sub/.vscode/tasks.json'));
    expect(await named()).toEqual(expect.arrayContaining(['conf', 'sub/plain/tasks.json']));
  });

  it('[CHANGE4] reports files that a symlink puts into a dot-folder', async () => {
    for (const path of ['conf/x', 'sub/.tool/x', 'sub/deep/x']) await put(path);
    await symlink('conf', at('.sometool'));
    await symlink('../deep', at('sub/.tool/more'));
    await symlink('..', at('sub/.tool/up'));
    await symlink('../..', at('sub/.tool/top'));
    await symlink('conf', at('plain'));
    expect((await ask()).inDotFolders.toSorted()).toEqual(['conf', 'sub', 'sub/deep']);
  });

  it('includes worktrees and submodules, whose .git is a file', async () => {
    await repository('main', '[core]\n\thooksPath = checks\n');
    await put('main/.git/worktrees/tree/commondir', '../..\n');
    await put('tree/.git', `gitdir: ${at('main/.git/worktrees/tree')}\n`);
    await put('main/.git/modules/lib/config', '[core]\n\tworktree = ../../../lib\n\tfsmonitor = bin/watch\n');
    await put('main/lib/.git', 'gitdir: ../.git/modules/lib\n');
    expect(await named()).toEqual(expect.arrayContaining(['main/checks', 'tree/checks', 'main/lib/bin/watch']));
  });

  it('includes the targets of hooks and configuration files that are symlinks, even if they don’t exist yet', async () => {
    await repository('.', '[core]\n\thooksPath = link\n');
    await mkdir(at('real'));
    await symlink('real', at('link'));
    await symlink('../scripts/check', at('real/pre-commit'));
    await symlink('../../scripts/push', at('.git/hooks/pre-push'));
    expect(await named()).toEqual(expect.arrayContaining(['link', 'real', 'scripts/check', 'scripts/push']));
  });

  it('excludes folders that a command works on, words that are not files, and paths outside the working folder', async () => {
    await mkdir(at('src'));
    await put('main');
    await repository(
      '.',
      '[alias]\n\tlint = "!eslint src/ && npm test"\n\tst = status\n[branch "main"]\n\tmerge = refs/heads/main\n[core]\n\teditor = vim\n\tpager = /usr/bin/less\n',
    );
    const paths = await named();
    for (const path of ['src', 'test', 'npm', 'main', 'status', 'vim', '']) expect(paths).not.toContain(path);
    expect(paths.filter((path) => path.startsWith('..'))).toEqual([]);
  });

  it('is unknown if Git is missing, fails, or can’t read the configuration', async () => {
    await repository('.', '[core]\n\thooksPath = x\n');
    expect(await namedInSettings(folder.path, [], { program: undefined, home: home.path })).toEqual({
      paths: [],
      inDotFolders: [],
      known: false,
    });
    expect(await namedInSettings(folder.path, [], { program: '/bin/false', home: home.path })).toMatchObject({
      known: false,
    });
    await put('.git/config', '[core\n');
    expect(await ask()).toMatchObject({ known: false });
  });

  it('needs no Git if there is no repository', async () => {
    await put('a.txt');
    expect(await namedInSettings(folder.path, [], { program: undefined, home: home.path })).toEqual({
      paths: [],
      inDotFolders: [],
      known: true,
    });
  });
});

describe('asking Git', () => {
  it('[CHANGE5.1] runs nothing that the configuration names, and ignores our variables', async () => {
    const touch = `touch ${at('ran')}`;
    await repository(
      '.',
      `[core]\n\tfsmonitor = ${touch}\n\tpager = ${touch}\n\teditor = ${touch}\n[pager]\n\tconfig = ${touch}\n[alias]\n\tconfig = "!${touch}"\n`,
    );
    process.env['GIT_CONFIG_PARAMETERS'] = "'core.hooksPath'='from-us'";
    try {
      const paths = await named();
      expect(paths).toContain('ran');
      expect(paths).not.toContain('from-us');
    } finally {
      delete process.env['GIT_CONFIG_PARAMETERS'];
    }
    expect(execFileSync('ls', [folder.path], { encoding: 'utf8' })).toBe('');
  });

  it('parses multi-line values, keys without a value, and files of any name', () => {
    expect(
      readSettings('file:/a=\n b\0alias.x\n!one\ntwo\0command line:\0include.path\n/x\0file:/c\0core.bare\0'),
    ).toEqual([
      { file: '/a=\n b', key: 'alias.x', value: '!one\ntwo' },
      { file: '/c', key: 'core.bare', value: '' },
    ]);
  });
});
