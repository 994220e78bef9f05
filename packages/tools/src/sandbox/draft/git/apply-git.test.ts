import { afterEach, describe, expect, it } from 'vitest';
import { findOverlaySandbox, gitDrafts, type GitDraft } from '../../../testing/git-draft.js';

const sandbox = await findOverlaySandbox();

describe.skipIf(sandbox === undefined)('applying the Git change of a run', () => {
  const { open, close } = gitDrafts(sandbox);
  // Throws if an object is missing or broken.
  afterEach(() => close((draft) => draft.outside('git fsck --full --strict')));
  const log = (draft: GitDraft, ref: string): string[] =>
    draft.outside(`git log --format=%s ${ref}`).trim().split('\n');

  it('[RUN25] moves refs, files and the index together, and runs no hook of the folder', async () => {
    const hook = '[ "$GIT_COMMITTER_NAME" != Countersign ] || touch "$GIT_DIR/ran"';
    const draft = await open(`git branch old; for h in post-index-change reference-transaction post-checkout; do
      printf '#!/bin/sh\n%s\n' '${hook}' > .git/hooks/$h; chmod +x .git/hooks/$h; done`);
    await draft.inside(`git config core.pager evil; echo 2 >> a.txt; git commit -qam two; git rm -q src/b.txt; echo n > n; git add n
      git commit -qm three; git branch -D old; git tag v1; git gc -q; echo rest > rest.txt`);
    const effect = await draft.seal();
    expect(effect.run?.commits?.map(({ subject }) => subject)).toEqual(['two', 'three']);
    expect(draft.outside('git rev-parse --verify -q v1 || true; git status --porcelain')).toBe('');
    await draft.apply(effect);
    expect(log(draft, 'main')).toEqual(['three', 'two', 'first']);
    expect(log(draft, 'v1')).toEqual(['three', 'two', 'first']);
    expect(draft.outside('git branch --format="%(refname)"; git status --porcelain')).toBe(
      'refs/heads/main\n?? rest.txt\n',
    );
    expect(
      draft.outside('git config core.pager || true; ls; find .git -name ran -o -name "*.keep" -o -name "*.lock"'),
    ).toBe('a.txt\nn\nrest.txt\n');
  });

  it('[RUN25.1] keeps what the person has staged, and refuses if that would be lost', async () => {
    const draft = await open('echo s > staged; git add staged', undefined);
    await draft.inside('git reset -q; echo 2 >> a.txt; git commit -qam two');
    expect((await draft.seal()).run?.branch).toMatch(/^run\/agent-/);
    const other = await open();
    await other.inside('echo 2 >> a.txt; git commit -qam two');
    other.outside('echo s > staged; git add staged');
    await other.apply(await other.seal());
    expect(other.outside('git status --porcelain')).toBe('A  staged\n');
    const third = await open();
    await third.inside('git rm -q src/b.txt; git commit -qm two; git checkout -q HEAD~1 -- src/b.txt');
    third.outside('echo mine > /tmp/x; git update-index --cacheinfo 100644,$(git hash-object -w /tmp/x),src/b.txt');
    const effect = await third.seal();
    await expect(third.apply(effect)).rejects.toThrow('.git/index');
    expect(log(third, 'main')).toEqual(['first']);
  });

  it('[RUN25.2] applies nothing if somebody moved a ref after the seal, or keeps it locked', async () => {
    const draft = await open();
    await draft.inside('echo 2 >> a.txt; git commit -qam two');
    const effect = await draft.seal();
    draft.outside('touch .git/refs/heads/main.lock');
    await expect(draft.apply(effect)).rejects.toThrow('refs/heads/main');
    expect(draft.outside('cat a.txt; rm .git/refs/heads/main.lock; git commit -q --allow-empty -m mine')).toBe('a\n');
    await expect(draft.seal()).rejects.toThrow('refs/heads/main');
    expect(log(draft, 'main')).toEqual(['mine', 'first']);
    expect(draft.outside('cat a.txt; git status --porcelain')).toBe('a\n');
  });

  it('[RUN26] undoes refs, files and the index, also after Git has deleted what the run removed', async () => {
    const draft = await open('git checkout -qb old; echo o > o; git add o; git commit -qm lost; git checkout -q main');
    const before = draft.outside('git for-each-ref; ls');
    await draft.inside(
      `echo 2 >> a.txt; git commit -qam two; git branch -D old; git tag v1; git branch new; echo r > r`,
    );
    const call = await draft.apply(await draft.seal());
    draft.outside('git reflog expire --expire=now --all; git gc -q --prune=now');
    expect(draft.outside('git cat-file -e $(echo old) 2>&1 || true')).not.toBe('');
    const state = await draft.undos.preview(call);
    if (state === undefined || state.kind !== 'ready') throw new Error('not ready');
    expect(state.effect.run?.refs?.map(({ name, how }) => [name, how])).toEqual([
      ['refs/heads/main', 'moves'],
      ['refs/heads/new', 'deleted'],
      ['refs/heads/old', 'new'],
      ['refs/tags/v1', 'deleted'],
    ]);
    expect(await draft.undos.undo(call, state.effect.effectHash)).toBe('done');
    expect(draft.outside('git for-each-ref; ls')).toBe(before);
    expect(draft.outside('git status --porcelain; git show old:o')).toBe('o\n');
  });

  it('[RUN26.1] undoes nothing if somebody has built on a moved ref', async () => {
    const draft = await open();
    await draft.inside('echo 2 >> a.txt; git commit -qam two');
    const call = await draft.apply(await draft.seal());
    draft.outside('git commit -q --allow-empty -m mine');
    expect(await draft.undos.preview(call)).toEqual({ kind: 'conflict', paths: ['refs/heads/main'] });
  });

  it('[RUN27] puts commits and what is not committed on a branch, and leaves the working tree as it is', async () => {
    const draft = await open(
      `printf '*.log\n' > .gitignore; git add -A; git commit -qm ignore; echo mine >> src/b.txt; echo u > untracked`,
    );
    await draft.inside(`echo 2 >> a.txt; git commit -qm two a.txt; echo 3 >> a.txt; rm -r src; mkdir -p d; ln -s ../a.txt d/link
      printf '#!/bin/sh\n' > d/run; chmod +x d/run; echo l > x.log; mkdir .husky; echo h > .husky/pre-commit; git branch other`);
    const before = draft.outside('git status --porcelain; cat a.txt src/b.txt untracked; git rev-parse HEAD');
    draft.outside('echo outside >> a.txt; git checkout -q a.txt');
    const effect = await draft.seal();
    const branch = effect.run?.branch ?? '';
    expect(branch).toMatch(/^run\/agent-/);
    const call = await draft.apply(effect);
    expect(draft.outside('git status --porcelain; cat a.txt src/b.txt untracked; git rev-parse HEAD')).toBe(before);
    expect(log(draft, branch)).toEqual(['Uncommitted changes of agent work', 'two', 'ignore', 'first']);
    expect(draft.outside(`git diff-tree -r --no-commit-id --name-status ${branch}`)).toBe(
      'M\ta.txt\nA\td/link\nA\td/run\nD\tsrc/b.txt\n',
    );
    expect(
      draft.outside(
        `git ls-tree -r ${branch} d | cut -c1-6; git show ${branch}:a.txt; git log -1 --format=%b ${branch}`,
      ),
    ).toBe('120000\n100755\na\n2\n3\nCountersign-Commit: uncommitted changes of the run\n\n');
    expect(log(draft, 'other')).toEqual(['two', 'ignore', 'first']);
    const state = await draft.undos.preview(call);
    if (state === undefined || state.kind !== 'ready') throw new Error('not ready');
    expect(await draft.undos.undo(call, state.effect.effectHash)).toBe('done');
    expect(draft.outside('git branch --format="%(refname)"')).toBe('refs/heads/main\n');
  });
});
