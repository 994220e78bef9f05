import { execFileSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from '../../../../tests/support/make-folder.js';
import { explainOutsideGit } from './explain-outside-git.js';

it('[RUN4.2] refuses a folder whose Git folder lies outside, with the command that helps', async () => {
  const { path, remove } = await makeFolder();
  const main = join(path, 'main');
  const tree = join(path, 'a tree');
  await mkdir(main);
  const git = (...words: string[]): unknown =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...words], {
      cwd: main,
      stdio: 'ignore',
    });
  git('init');
  expect(explainOutsideGit(main)).toBeUndefined();
  git('commit', '--allow-empty', '-m', 'first');
  git('worktree', 'add', '-b', 'other', tree);
  expect(explainOutsideGit(tree)).toContain(`git clone '${tree}' '${tree}-clone'`);
  expect(explainOutsideGit(path)).toBeUndefined();
  // A submodule that keeps its Git folder to itself.
  execFileSync('git', ['init', '--separate-git-dir', join(main, 'sub', 'own'), join(main, 'sub')], { stdio: 'ignore' });
  expect(explainOutsideGit(join(main, 'sub'))).toBeUndefined();
  await remove();
});
