import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { readCommitKeys, verifyCommits } from '../receipts/verify-commits.js';
import { until } from '../testing/app-fixture.js';
import { canMountRuns, closeRuns, openRuns } from '../testing/run-fixture.js';

afterEach(closeRuns);

const canMount = await canMountRuns();

const env = {
  ...{ PATH: process.env['PATH'], HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' },
  ...{ GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@b' },
};
const sh = (cwd: string, script: string): string =>
  execFileSync('/bin/sh', ['-euc', script], { cwd, env, encoding: 'utf8' });

describe.runIf(canMount)('the commits of a run', () => {
  it('[RUN16.1] come without hooks and settings of Git, which are named', async () => {
    const t = await openRuns({ 'a.txt': 'old\n' });
    sh(
      t.folder,
      'git init -q -b main; echo : > .git/hooks/same; echo : > .git/hooks/mine; git add -A; git commit -qm 1',
    );
    const run = await t.start();
    const upper = join(run.root, 'upper');
    cpSync(t.folder, upper, { recursive: true });
    const script = 'git commit -q --allow-empty -m 2; cd .git; echo evil | tee hooks/mine hooks/pre-commit';
    sh(upper, `${script}; touch hooks/x.sample; mkdir -p modules/x; git config core.hooksPath /x`);
    t.write(run, {});
    const waiting = await t.end(run);
    const named = ['.git/config', '.git/hooks/mine', '.git/hooks/pre-commit', '.git/modules'];
    expect(waiting.effect?.leftOut.map(({ path }) => path)).toEqual(named);
    // Also when it is asked again.
    await t.decide(waiting, 'deny');
    await t.reach(run, 'denied');
    await t.t.api('POST', `/worlds/alpha/runs/${run.id}/apply`);
    const again = await t.show(run);
    expect(again.effect?.effectHash).toBe(waiting.effect?.effectHash);
    await t.decide(again, 'approve');
    await t.reach(run, 'applied');
    expect([t.read('.git/hooks/mine'), t.read('.git/hooks/pre-commit')]).toEqual([':\n', undefined]);
    expect(sh(t.folder, 'git log --format=%s; git config core.hooksPath || echo none')).toBe('2\n1\nnone\n');
  });

  it('[RUN18.2] a rule that names a branch allows commits on top of it, and no lost commit and no other ref', async () => {
    const rule = 'allow run writing ** moving refs/heads/main refs/heads/run/*';
    const t = await openRuns({ 'a.txt': 'old\n' }, { rules: [rule] });
    sh(t.folder, 'git init -q -b main; git add -A; git commit -qm first; git commit -q --allow-empty -m second');
    const result = async (script: string): Promise<string> => {
      const run = await t.start();
      const upper = join(run.root, 'upper');
      cpSync(t.folder, upper, { recursive: true });
      sh(upper, script);
      t.write(run, {});
      await t.end(run);
      await t.t.engine.quiet();
      const { state } = await t.show(run);
      if (state === 'waiting') await t.t.api('POST', `/worlds/alpha/runs/${run.id}/discard`);
      return state;
    };
    const commit = 'date +%N >> a.txt; git commit -qam more';
    const log = sh(t.folder, 'git log --format=%s');
    for (const script of [`git reset -q --hard HEAD~1; ${commit}`, 'git tag v1'])
      expect([script, await result(script)]).toEqual([script, 'waiting']);
    expect(sh(t.folder, 'git log --format=%s')).toBe(log);
    expect(await result(`${commit}; git branch run/new`)).toBe('applied');
    expect(sh(t.folder, 'git log --format=%s run/new; git tag')).toBe(`more\n${log}`);
    await t.setRules(rule, 'deny run moving refs/heads/main');
    expect(await result(commit)).toBe('denied');
  });

  it('[RUN28] are on the card, need a person, and each get a receipt that a plain clone can verify', async () => {
    const t = await openRuns({ 'a.txt': 'old\n' }, { rules: ['allow run writing **'] });
    sh(t.folder, 'git init -q -b main; git add -A; git commit -qm first');
    const run = await t.start();
    const upper = join(run.root, 'upper');
    cpSync(t.folder, upper, { recursive: true });
    sh(upper, 'echo 2 >> a.txt; git commit -qam two; echo 3 >> a.txt; git commit -qam three');
    t.write(run, {});
    const waiting = await t.end(run);
    expect(waiting.state).toBe('waiting');
    expect(waiting.effect?.run).toMatchObject({
      commits: [{ subject: 'two', files: 1 }, { subject: 'three' }],
      refs: [{ name: 'refs/heads/main', how: 'moves' }],
    });
    await t.decide(waiting, 'approve');
    await t.reach(run, 'applied');
    await until(
      () => Promise.resolve(sh(t.folder, 'git for-each-ref refs/notes/countersign') !== '' || undefined),
      'the commits have receipts',
    );
    sh(
      t.home,
      `git clone -q ${t.folder} clone; cd clone; git fetch -q origin refs/notes/countersign:refs/notes/countersign`,
    );
    const clone = join(t.home, 'clone');
    const keys = readCommitKeys(readFileSync(join(t.home, 'receipt.pub'), 'utf8'));
    const verified = await verifyCommits(clone, 'main', { keys, requirePasskey: false });
    expect(verified.map(({ subject, problem }) => [subject, problem])).toEqual([
      ['first', 'missing'],
      ['two', undefined],
      ['three', undefined],
    ]);
    expect(verified[2]?.receipt).toMatchObject({
      change: waiting.effect?.effectHash,
      run: run.id,
      signers: [{ kind: 'token' }],
    });
    expect(t.t.errors).toEqual([]);
  });

  it('[RUN17.4] [RUN25.2] [RUN27] can go to a branch of their own after a conflict', async () => {
    const t = await openRuns({ 'a.txt': 'old\n' });
    sh(t.folder, 'git init -q -b main; git add -A; git commit -qm first');
    const run = await t.start();
    const upper = join(run.root, 'upper');
    cpSync(t.folder, upper, { recursive: true });
    sh(upper, 'echo 2 >> a.txt; git commit -qam two; echo left > b.txt');
    t.write(run, {});
    const waiting = await t.end(run);
    sh(t.folder, 'echo mine > a.txt; git commit -qam mine');
    await t.decide(waiting, 'approve');
    const { reason } = await t.reach(run, 'conflict');
    expect(reason).toContain('refs/heads/main');
    const apply = (body: object) => t.t.api('POST', `/worlds/alpha/runs/${run.id}/apply`, body);
    expect((await apply({})).body).toMatchObject({ state: 'conflict' });
    expect((await apply({ branch: '../up' })).status).toBe(409);
    expect((await apply({ branch: 'theirs' })).body).toMatchObject({ state: 'waiting' });
    await t.decide(await t.show(run), 'approve');
    await t.reach(run, 'applied');
    expect(sh(t.folder, 'git log --format=%s main; git show theirs~:a.txt; git show theirs:b.txt; git status -s')).toBe(
      'mine\nfirst\nold\n2\nleft\n',
    );
    expect(t.read('a.txt')).toBe('mine\n');
  });

  it('[RUN27.1] refuses a name that no branch can have, and a branch without a repository', async () => {
    const t = await openRuns();
    const start = async (branch: string) =>
      await t.start({ branch }).then(
        () => 'started',
        () => 'refused',
      );
    expect(await start('agent')).toBe('refused');
    sh(t.folder, 'git init -q -b main; git commit -q --allow-empty -m first');
    expect([await start('..agent'), await start('a b'), await start('agent')]).toEqual([
      'refused',
      'refused',
      'started',
    ]);
    expect(await t.drafts.kept.list()).toHaveLength(1);
  });
});
