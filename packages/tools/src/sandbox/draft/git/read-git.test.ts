import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setAside } from '@countersign/changes';
import { afterEach, describe, expect, it } from 'vitest';
import { findOverlaySandbox, gitDrafts } from '../../../testing/git-draft.js';

const sandbox = await findOverlaySandbox();

describe.skipIf(sandbox === undefined)('the Git change of a draft', () => {
  const { open, close } = gitDrafts(sandbox);
  afterEach(() => close());

  it('[RUN18.2] [RUN23] has the commits, with authors and paths, and the refs that move, are new or deleted', async () => {
    const draft = await open('git branch old');
    await draft.inside(`
      echo more >> a.txt; git commit -qam 'change a

      with a body'
      git mv src/b.txt src/c.txt; git commit -qm 'move b'
      git branch -D old; git tag -a v1 -m one; git tag v0 HEAD~2; git gc -q`);
    const change = await draft.read();
    const [first, head] = draft.outside('git rev-parse main old').split('\n');
    const tip = change.commits.at(-1)?.id;
    expect(change.commits.map(({ message, author, files }) => [message, author, files])).toEqual([
      ['change a\n\n      with a body', 'Agent <agent@example.com>', 1],
      ['move b', 'Agent <agent@example.com>', 2],
    ]);
    expect(change.refs).toEqual([
      { name: 'refs/heads/main', from: first, to: tip },
      { name: 'refs/heads/old', from: head },
      { name: 'refs/tags/v0', to: first },
      { name: 'refs/tags/v1', to: change.refs.at(-1)?.to },
    ]);
    expect(change.nameable).toEqual(['refs/heads/main', 'refs/tags/v0', 'refs/tags/v1']);
    expect(change.paths).toEqual({
      added: ['src/c.txt'],
      changed: ['a.txt'],
      removed: ['src/b.txt'],
    });
    expect(change.stays).toEqual([]);
    expect(change.pack).toMatch(/^[\da-f]{64}$/);
  });

  it('[RUN24] sets aside what the folder ignored before the run, whatever the draft says, and no tracked file', async () => {
    const draft = await open(`printf 'node_modules/\\n*.log\\nbuild/\\n' > .gitignore; touch package-lock.json
      mkdir build; echo t > build/keep.txt; git add -fA; git commit -qm ignore`);
    await draft.inside(`mkdir -p node_modules/x new/deep build/sub; touch node_modules/x/1 node_modules/2 a.log new/deep/x.log
      echo more >> build/keep.txt; touch build/o build/sub/o; printf '!*.log\\n*.txt\\n' > .gitignore; echo c > c.txt
      git init -q sub; git commit -qam 'change the rules'`);
    const found = await setAside({ root: draft.root, upper: draft.upper, workingDirectory: draft.path }, ['a.log']);
    expect(found.map(({ path, files, hint }) => [path, files, hint])).toEqual([
      ['build/o', 1, undefined],
      ['build/sub', 1, undefined],
      ['new/deep/x.log', 1, undefined],
      ['node_modules', 2, 'npm ci'],
    ]);
    const left = ['a.log', 'c.txt', 'build/keep.txt', '.gitignore'];
    expect(left.filter((path) => !existsSync(join(draft.upper, path)))).toEqual([]);
    expect(['.git', 'new', 'node_modules', 'build/o'].filter((path) => existsSync(join(draft.upper, path)))).toEqual(
      [],
    );
    // The commit is read all the same.
    expect((await draft.read()).paths.changed).toEqual(['.gitignore', 'build/keep.txt']);
  });
});
