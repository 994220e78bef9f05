import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { EndedDraft, GitChange } from '@countersign/changes';
import { afterEach, describe, expect, it } from 'vitest';
import { sampled } from '../../../../../../tests/support/scaled.js';
import { findOverlaySandbox, gitDrafts } from '../../../testing/git-draft.js';

const sandbox = await findOverlaySandbox();

describe.skipIf(sandbox === undefined)('a hostile repository in a draft', () => {
  const { open, close } = gitDrafts(sandbox);
  afterEach(() => close());
  const after = async (script: string, more?: Partial<EndedDraft>, setUp?: string): Promise<GitChange> => {
    const draft = await open(setUp);
    await draft.inside(script);
    return await draft.read(more);
  };
  const stays = ({ stays: all }: GitChange): unknown[] => all.map(({ name, why }) => [name, why]);

  it('[RUN23.1] lists other refs, which stay', async () => {
    const change = await after(
      `git checkout -qb work; echo x > x; git stash -qu; git notes add -m n; git update-ref refs/remotes/origin/main HEAD
       git symbolic-ref refs/heads/alias refs/heads/main; git update-ref refs/heads/deadbeefdeadbeefdeadbeefdeadbeefdeadbeef HEAD
       git tag tree HEAD^{tree}; git replace -f HEAD HEAD^{commit} 2>/dev/null || true
       mkdir -p .git/refs/heads/-x; git rev-parse HEAD > .git/refs/heads/-x/y; git rev-parse HEAD > .git/refs/heads/a\u202Eb
       git rev-parse HEAD > .git/refs/heads/HEAD; echo 'ref: refs/heads/main' > .git/refs/tags/link`,
    );
    expect(change.refs.map(({ name }) => name)).toEqual(['refs/heads/work']);
    expect(stays(change)).toEqual([
      ['refs/heads/-x/y', 'name'],
      ['refs/heads/HEAD', 'name'],
      ['refs/heads/a\u202Eb', 'name'],
      ['refs/heads/deadbeefdeadbeefdeadbeefdeadbeefdeadbeef', 'name'],
      ['refs/notes/commits', 'other-ref'],
      ['refs/remotes/origin/main', 'other-ref'],
      [expect.stringContaining('refs/replace/'), 'other-ref'],
      ['refs/stash', 'other-ref'],
      ['HEAD', 'other-ref'],
      ['refs/heads/alias', 'other-ref'],
      ['refs/tags/link', 'other-ref'],
      ['refs/tags/tree', 'no-commit'],
    ]);
  });

  it('[RUN23] reads a file with a NUL as no ref of another name', async () => {
    const change = await after(
      `C=$(git rev-parse HEAD); printf 'x\\0__proto__\\0%s\\0constructor\\0%s\\0refs/heads/new\\0%s' $C $C $C > .git/refs/heads/nul`,
    );
    expect(change.refs.map(({ name }) => name)).toEqual(['refs/heads/new']);
    expect(stays(change)).toEqual([]);
  });

  it('[RUN23.2] leaves out what only others moved, and refuses what both moved', async () => {
    const draft = await open('git branch theirs; git branch both; git pack-refs --all');
    await draft.inside('git commit -q --allow-empty -m mine; git branch -f both; git gc -q');
    draft.outside('git checkout -q theirs; echo t > t; git add t; git commit -qm theirs; git tag theirs-tag');
    expect((await draft.read()).refs.map(({ name }) => name)).toEqual(['refs/heads/both', 'refs/heads/main']);
    draft.outside('git branch -f both theirs');
    await expect(draft.read()).rejects.toThrow('refs/heads/both');
  });

  it.each(
    sampled(
      [
        ['a hook of a manager', 'mkdir .husky; echo x > .husky/pre-commit', 'runs-later'],
        ['a workflow', 'mkdir -p .github/workflows; echo x > .github/workflows/x.yml', 'runs-later'],
        ['a link to such a folder', 'ln -s src .vscode', 'runs-later'],
        ['a file that a rule denies', 'echo x > secret.txt', 'rule'],
        ['a hook that the configuration names', 'mkdir hooks; echo x > hooks/pre-commit', 'runs-later'],
        ['a name that is not UTF-8', `touch $'bad\\xff'`, 'name'],
        [
          'a bare repository',
          'mkdir bare bare/objects bare/refs; touch bare/HEAD bare/objects/x bare/refs/x',
          'runs-later',
        ],
      ],
      2,
    ),
  )(
    '[RUN23.3] does not move a branch to a commit with %s, even if a later commit removes it',
    async (_, write, why) => {
      const change = await after(
        `${write}; git add -A; git commit -qm bad; git rm -rqf --cached .; git add a.txt src; git commit -qm clean
       git checkout -q --orphan other; git rm -rqf --cached .; git add a.txt; git commit -qm other; git tag good`,
        { isProtected: (path) => path.endsWith('/secret.txt') },
        'git config core.hooksPath hooks',
      );
      expect(change.refs.map(({ name }) => name)).toEqual(['refs/heads/other', 'refs/tags/good']);
      expect(stays(change).slice(-1)).toEqual([['refs/heads/main', why]]);
      expect(change.commits.map(({ message }) => message)).toEqual(['other']);
    },
  );

  it('[RUN23.3] judges what a merge adds that no parent has, submodules, and a move back', async () => {
    const merge = await after(`git checkout -qb x; echo x > x; git add x; git commit -qm x; git checkout -q main
      echo y > y; git add y; git commit -qm y; git merge -q --no-commit x; touch .envrc; git add .envrc; git commit -qm merge`);
    expect(stays(merge)).toEqual([['refs/heads/main', 'runs-later']]);
    expect(merge.refs.map(({ name }) => name)).toEqual(['refs/heads/x']);
    const submodule = await after(
      'git init -q sub; git -C sub commit -q --allow-empty -m s; git add sub 2>/dev/null; git commit -qm submodule',
    );
    expect(stays(submodule)).toEqual([['refs/heads/main', 'repository']]);
    const back = await after('git reset -q --hard HEAD~1', {}, 'touch .envrc; git add .envrc; git commit -qm env');
    expect(stays(back)).toEqual([['refs/heads/main', 'runs-later']]);
  });

  const tree = (name: string, mode = '100644 blob', of = 'a.txt'): string =>
    `blob=$(git rev-parse HEAD:${of}); t=$(printf '${mode} %s\\t${name}\\n' $blob | git mktree --missing)
     git update-ref refs/heads/main $(git commit-tree -p HEAD -m tree $t)`;
  it.each(
    sampled(
      [
        ['.git', tree('.git')],
        ['.GIT', tree('.GIT')],
        ['a short name of .git', tree('GIT~1')],
        ['.git with an invisible character', tree('.g\u200Cit')],
        ['..', tree('..')],
        [
          '.gitmodules that runs a command',
          `printf '[submodule "a"]\\npath=a\\nurl=-u./evil\\n' > .gitmodules; git add -A; git commit -qm m`,
        ],
        ['.gitmodules as a link', tree('.gitmodules', '120000 blob')],
        [
          'a missing blob',
          tree('gone').replace('$(git rev-parse HEAD:a.txt)', 'deadbeefdeadbeefdeadbeefdeadbeefdeadbeef'),
        ],
        [
          'an object with other content than its id says',
          `git commit -q --allow-empty -m new; o=$(git rev-parse HEAD | sed 's,^..,&/,'); chmod u+w .git/objects/$o
       git rev-parse HEAD > .git/objects/$o`,
        ],
      ],
      2,
    ),
  )('[RUN23.4] moves no ref to a tree with %s, or to a broken object', async (_, script) => {
    const change = await after(script);
    expect(change.refs).toEqual([]);
    expect(change.stays.map(({ name, why }) => (name === '.git' ? why : 'judged'))).toHaveLength(1);
  });

  it.each(
    sampled(
      [
        ['no Git folder', 'rm -rf .git'],
        ['a file in its place', 'rm -rf .git; echo "gitdir: /etc" > .git'],
        ['a link in its place', 'rm -rf .git; ln -s / .git'],
        ['no objects', 'git commit -q --allow-empty -m x; rm -rf .git/objects'],
        [
          'a truncated pack',
          'git commit -q --allow-empty -m x; git gc -q; chmod -R u+w .git; truncate -s 50 .git/objects/pack/*.pack',
        ],
      ],
      1,
    ),
  )('[RUN23.4] moves no ref if the draft has %s', async (_, script) => {
    const change = await after(`chmod -R u+w .git; ${script}`);
    expect(change.refs).toEqual([]);
    expect(stays(change)).toHaveLength(1);
  });

  it('[RUN23] runs nothing that the draft configures, and reads commits as they are', async () => {
    const draft = await open();
    const touch = `touch ${join(draft.path, 'ran')} /tmp/ran; exit 1`;
    await draft.inside(`
      echo evil > evil; git add evil; git commit -qm real; tip=$(git rev-parse HEAD)
      git replace $tip $(git commit-tree -m fake -p HEAD~1 HEAD~1^{tree})
      git rev-parse HEAD HEAD~1 | tr '\\n' ' ' > .git/info/grafts; git rev-parse HEAD > .git/shallow
      echo '* filter=x diff=x' > .git/info/attributes; mkdir -p /tmp/o; echo /tmp/o > .git/objects/info/alternates
      for h in reference-transaction post-checkout pre-commit post-index-change; do
        printf '#!/bin/sh\\n${touch}\\n' > .git/hooks/$h; chmod +x .git/hooks/$h; done
      git config core.fsmonitor '${touch}'; git config core.pager '${touch}'; git config diff.external '${touch}'
      git config diff.x.textconv '${touch}'; git config filter.x.clean '${touch}'; git config uploadpack.packObjectsHook '${touch}'
      git config core.sshCommand '${touch}'; git config extensions.unknown true; git config core.repositoryformatversion 99`);
    const change = await draft.read();
    expect(change.commits.map(({ message, files }) => [message, files])).toEqual([['real', 1]]);
    expect(change.paths.added).toEqual(['evil']);
    expect(stays(change)).toEqual([[expect.stringContaining('refs/replace/'), 'other-ref']]);
    expect(existsSync(join(draft.path, 'ran')) || existsSync(join(draft.upper, 'ran')) || existsSync('/tmp/ran')).toBe(
      false,
    );
  });
});
