import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolder, type TestFolder } from '../../../../tests/support/make-folder.js';
import { ENTRIES } from '../runs-later/names.js';
import { inspectLayer } from './inspect-layer.js';

let draft: TestFolder;
let folder: TestFolder;
beforeEach(async () => {
  draft = await makeFolder();
  folder = await makeFolder();
});
afterEach(async () => {
  await draft.remove();
  await folder.remove();
});

const put = async (where: TestFolder, path: string, text = '', mode = 0o644): Promise<void> => {
  await mkdir(dirname(join(where.path, path)), { recursive: true });
  await writeFile(join(where.path, path), text);
  await chmod(join(where.path, path), mode);
};
const kept = (path: string): boolean => existsSync(join(draft.path, path));

describe('inspectLayer', () => {
  it('[CHANGE1] leaves out every name in the table, wherever it applies', async () => {
    const paths = ENTRIES.map(({ entry }, at) =>
      entry.startsWith('/') ? entry.slice(1) : `d${at}/${entry.replaceAll('*', 'some')}`,
    );
    for (const path of paths) if (!kept(path)) await put(draft, path, 'evil');
    await put(draft, 'good.txt');
    const leftOut = await inspectLayer(draft.path, folder.path);
    expect(paths.filter(kept)).toEqual([]);
    expect(kept('good.txt')).toBe(true);
    expect(new Set(leftOut.map(({ why }) => why))).toEqual(new Set(['runs-later']));
  });

  it('[CHANGE1] leaves out names at the top level of a repository in the folder, and a symlink to such a name', async () => {
    await mkdir(join(folder.path, 'sub/.git'), { recursive: true });
    await mkdir(join(folder.path, 'plain'));
    await put(draft, 'sub/.github/workflows/ci.yml');
    await put(draft, 'plain/.github/workflows/ci.yml');
    await put(draft, 'evil/config.toml');
    await symlink('evil', join(draft.path, '.cargo'));
    expect(await inspectLayer(draft.path, folder.path)).toEqual(
      expect.arrayContaining([
        { path: 'sub/.github/workflows', why: 'runs-later' },
        { path: '.cargo', why: 'runs-later' },
      ]),
    );
    expect(['sub/.github/workflows', 'plain/.github/workflows/ci.yml'].map(kept)).toEqual([false, true]);
  });

  it('[CHANGE1] leaves out a changed symlink in a chain that starts at a name that programs run automatically', async () => {
    for (const path of ['hooks/v1/pre-commit', 'tools/one/tasks/tasks.json']) await put(folder, path);
    await symlink('v1', join(folder.path, 'hooks/current'));
    await symlink('hooks/current', join(folder.path, '.husky'));
    await symlink('one', join(folder.path, 'tools/now'));
    await symlink('tools/now/tasks', join(folder.path, '.vscode'));
    for (const path of ['hooks/v2/pre-commit', 'tools/two/tasks/tasks.json']) await put(draft, path, 'evil');
    await symlink('v2', join(draft.path, 'hooks/current'));
    await symlink('two', join(draft.path, 'tools/now'));
    const leftOut = await inspectLayer(draft.path, folder.path);
    expect(new Set(leftOut)).toEqual(
      new Set([
        { path: 'hooks/current', why: 'runs-later' },
        { path: 'tools/now', why: 'runs-later' },
      ]),
    );
    expect(['hooks/current', 'tools/now'].map(kept)).toEqual([false, false]);
  });

  it('[CHANGE4.1] leaves out a changed symlink in a dot-folder or on the path to one', async () => {
    for (const path of ['conf/a', 'hold/v1/a']) await put(folder, path);
    await symlink('v1', join(folder.path, 'hold/now'));
    await symlink('hold/now', join(folder.path, '.other'));
    for (const name of ['.tool', '.same']) await symlink('conf', join(folder.path, name));
    for (const path of ['evil/b', 'hold/v2/b']) await put(draft, path, 'evil');
    await symlink('evil', join(draft.path, '.tool'));
    await symlink('conf', join(draft.path, '.same'));
    await symlink('v2', join(draft.path, 'hold/now'));
    const leftOut = await inspectLayer(draft.path, folder.path, { mayCreate: () => false });
    expect(new Set(leftOut)).toEqual(
      new Set([
        { path: '.tool', why: 'new-hidden' },
        { path: 'hold/now', why: 'new-linked' },
      ]),
    );
    expect(['evil/b', 'hold/v2/b'].map(kept)).toEqual([true, true]);
  });

  it('[CHANGE1] leaves out symlinks in a repository of any name, through which Git would write elsewhere', async () => {
    for (const name of ['HEAD', 'objects/x', 'refs/x', 'logs/refs/heads/x', 'COMMIT_EDITMSG'])
      await put(folder, `store/${name}`);
    await mkdir(join(draft.path, 'store/logs/refs/heads'), { recursive: true });
    const links = ['store/COMMIT_EDITMSG', 'store/logs/refs/heads/main'];
    for (const path of [...links, 'latest']) await symlink('/nowhere/.profile', join(draft.path, path));
    expect(await inspectLayer(draft.path, folder.path)).toEqual(
      expect.arrayContaining(links.map((path) => ({ path, why: 'link' }))),
    );
    const there = async (path: string) => (await readdir(dirname(join(draft.path, path)))).includes(basename(path));
    expect(await Promise.all([...links, 'latest'].map(there))).toEqual([false, false, true]);
  });

  it('[CHANGE5.2] leaves out all of .git and executables if Git can’t read its configuration', async () => {
    await mkdir(join(folder.path, '.git'));
    for (const name of ['HEAD', 'objects/x', 'refs/x']) await put(folder, `bare/${name}`);
    await put(draft, '.git/index');
    await put(draft, 'bare/packed-refs');
    await put(draft, 'hook', '', 0o755);
    await put(draft, 'src/a.ts');
    const unknown = () => Promise.resolve({ paths: [], inDotFolders: [], known: false });
    expect(await inspectLayer(draft.path, folder.path, {}, unknown)).toEqual(
      expect.arrayContaining([
        { path: '.git', why: 'git-unknown' },
        { path: 'bare/packed-refs', why: 'git-unknown' },
        { path: 'hook', why: 'git-unknown' },
      ]),
    );
    expect(kept('src/a.ts')).toBe(true);
  });

  it('[CHANGE5] keeps the todo list of a rebase that runs nothing', async () => {
    await mkdir(join(folder.path, '.git'));
    await put(draft, '.git/rebase-merge/git-rebase-todo', 'pick abc exec\n');
    expect(await inspectLayer(draft.path, folder.path)).toEqual([]);
    await put(draft, '.git/rebase-merge/git-rebase-todo', 'pick abc\nx ./evil\n');
    expect(await inspectLayer(draft.path, folder.path)).toEqual([
      { path: '.git/rebase-merge/git-rebase-todo', why: 'runs-later' },
    ]);
  });

  describe('of a command that nobody approved', () => {
    const inspect = (...named: string[]) =>
      inspectLayer(draft.path, folder.path, {
        mayCreate: (path) => named.some((name) => path.startsWith(join(folder.path, name))),
      });

    it('[CHANGE4] leaves out new dot-files, new files in dot-folders and new executables', async () => {
      await put(folder, '.config/there');
      await put(folder, 'run.sh', '', 0o755);
      await put(draft, '.config/there', 'changed');
      await put(draft, 'run.sh', 'changed', 0o755);
      await put(draft, 'src/a.ts');
      for (const path of ['.toolrc', '.config/new', '.venv/bin/python', 'src/.x/y']) await put(draft, path);
      await put(draft, 'bin/tool', '', 0o755);
      await mkdir(join(draft.path, '.venv/include/a'), { recursive: true });
      const leftOut = await inspect();
      expect(leftOut.map(({ path }) => path).sort()).toEqual(
        ['.config/new', '.toolrc', '.venv/bin/python', 'bin/tool', 'src/.x/y'].sort(),
      );
      // None of their empty folders remain.
      expect((await readdir(draft.path)).sort()).toEqual(['.config', 'run.sh', 'src']);
      expect(await readdir(join(draft.path, 'src'))).toEqual(['a.ts']);
    });

    it('[CHANGE4] applies files that a rule names, but no file that runs automatically', async () => {
      for (const path of ['.venv/bin/python', '.venv/.vscode/tasks.json', '.toolrc']) await put(draft, path, '', 0o755);
      expect(await inspect('.venv')).toEqual([
        { path: '.toolrc', why: 'new-hidden' },
        { path: '.venv/.vscode', why: 'runs-later' },
      ]);
      expect(kept('.venv/bin/python')).toBe(true);
    });

    it('[CHANGE4] applies a commit', async () => {
      await mkdir(join(folder.path, '.git'));
      await put(draft, '.git/objects/ab/cd', '', 0o444);
      expect(await inspect()).toEqual([]);
    });

    it('[CHANGE4.2] applies node_modules as a whole or not at all', async () => {
      await put(draft, 'package-lock.json');
      await put(draft, 'app/node_modules/a/index.js');
      await put(draft, 'app/node_modules/a/node_modules/b/.eslintrc');
      await put(draft, 'app/node_modules/.bin/a', '', 0o755);
      await put(draft, 'lib/node_modules/plain/index.js');
      expect(await inspect()).toEqual([{ path: 'app/node_modules', why: 'new-hidden' }]);
      expect((await readdir(draft.path)).sort()).toEqual(['lib', 'package-lock.json']);
      expect(kept('lib/node_modules/plain/index.js')).toBe(true);
    });
  });
});
