import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { readCommitKeys, verifyCommits } from '../receipts/verify-commits.js';
import { until } from '../testing/app-fixture.js';
import { closeRuns, openRuns } from '../testing/run-fixture.js';

afterEach(closeRuns);

const canMount = (await openRuns()) !== undefined;
await closeRuns();

const env = {
  ...{ PATH: process.env['PATH'], HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' },
  ...{ GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@b' },
};
const sh = (cwd: string, script: string): string =>
  execFileSync('/bin/sh', ['-euc', script], { cwd, env, encoding: 'utf8' });

describe.runIf(canMount)('the commits of a run', () => {
  it('[RUN28] are on the card, need a person, and each get a receipt that a plain clone can verify', async () => {
    const t = await openRuns({ 'a.txt': 'old\n' }, { rules: ['allow run writing **'] });
    if (t === undefined) throw new Error('this system can mount no overlay');
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
});
