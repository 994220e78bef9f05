import { execFileSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { canMountRuns, closeRuns, openRuns, type RunFixture } from '../testing/run-fixture.js';

afterEach(closeRuns);

const canMount = await canMountRuns();

const git = (folder: string, ...words: string[]): string =>
  execFileSync('git', ['-C', folder, '-c', 'user.name=Ada', '-c', 'user.email=a@b.c', ...words], { encoding: 'utf8' });

/** A folder with a repository, in which everything is committed. */
async function open(): Promise<RunFixture> {
  const t = await openRuns({ 'a.txt': 'old\n', '.gitignore': 'build/\nbin\n' });
  git(t.folder, 'init', '-q');
  git(t.folder, 'add', '.');
  git(t.folder, 'commit', '-qm', 'first');
  return t;
}

describe.runIf(canMount)('a run in a repository', () => {
  it('[RUN24] [RUN24.1] applies ignored files only if a person includes them, and asks again about it', async () => {
    const t = await open();
    await t.setRules('allow run writing **');
    const run = await t.start();
    t.write(run, { 'a.txt': 'new\n', 'build/x': 'x', 'build/y': 'y', '.gitignore': 'nothing\n' });
    const waiting = await t.end(run);
    expect(waiting.effect?.run?.notApplied).toEqual([{ path: 'build', files: 2 }]);
    expect(waiting.effect?.files.map(({ path }) => path)).toEqual(['.gitignore', 'a.txt']);
    const apply = (include: string[]) => t.t.api('POST', `/worlds/alpha/runs/${run.id}/apply`, { include });
    expect((await apply(['build'])).status).toBe(409);
    await t.decide(waiting, 'deny');
    await t.reach(run, 'denied');
    for (const path of ['../x', '/etc/passwd', 'build/../../x', '', '.', 'build//x'])
      expect([path, (await apply([path])).status]).toEqual([path, 422]);
    expect((await apply(['build/x'])).status).toBe(200);
    const again = await t.show(run);
    expect(again.effect?.files.map(({ path }) => path)).toContain('build/x');
    await t.decide(again, 'approve');
    await t.reach(run, 'applied');
    expect([t.read('build/x'), t.read('build/y'), t.read('a.txt')]).toEqual(['x', undefined, 'new\n']);
  });

  it('[RUN24.1] says again what is left out, and judges ignored paths again, each time that it asks', async () => {
    const t = await open();
    const run = await t.start();
    t.write(run, { 'a.txt': 'new\n', 'build/x': 'x', 'build/y': 'y', '.vscode/tasks.json': '{}' });
    const seen = async (include: string[]) => {
      await t.t.api('POST', `/worlds/alpha/runs/${run.id}/apply`, { include });
      const waiting = await t.show(run);
      const { files = [], leftOut = [], run: more } = waiting.effect ?? {};
      await t.decide(waiting, 'deny');
      await t.reach(run, 'denied');
      return [
        files.map(({ path }) => path),
        more?.notApplied?.map(({ path }) => path),
        leftOut.map(({ path }) => path),
      ];
    };
    await t.end(run);
    const left = ['.vscode'];
    const first = await seen([]);
    expect(first).toEqual([['a.txt'], ['build'], left]);
    expect(await seen(['build/x'])).toEqual([['a.txt', 'build', 'build/x'], ['build/y'], left]);
    expect(await seen([])).toEqual(first);
    expect(await seen(['build'])).toEqual([['a.txt', 'build', 'build/x', 'build/y'], [], left]);
  });

  it('[RUN24.1] no rule allows an included file', async () => {
    const t = await open();
    await t.setRules('allow run writing src/**');
    const run = await t.start();
    t.write(run, { 'a.txt': 'new\n', 'build/x': 'x' });
    await t.decide(await t.end(run), 'deny');
    await t.reach(run, 'denied');
    await t.setRules('allow run writing ** removing nothing');
    await t.t.api('POST', `/worlds/alpha/runs/${run.id}/apply`, { include: ['build/x'] });
    expect(await t.show(run)).toMatchObject({ state: 'waiting' });
  });

  it('[RUN24.1] includes nothing through a link of the program', async () => {
    const t = await open();
    writeFileSync(join(t.home, 'key'), 'secret\n');
    const run = await t.start();
    symlinkSync(t.home, join(run.root, 'upper', 'bin'));
    t.write(run, { 'a.txt': 'new\n' });
    await t.decide(await t.end(run), 'deny');
    await t.reach(run, 'denied');
    await t.t.api('POST', `/worlds/alpha/runs/${run.id}/apply`, { include: ['bin/key'] });
    expect((await t.show(run)).effect?.files.map(({ path }) => path)).toEqual(['a.txt']);
    expect(readFileSync(join(t.home, 'key'), 'utf8')).toBe('secret\n');
  });

  it('[RUN16.4] [RUN22.1] what others wrote in the same way is no conflict', async () => {
    const t = await open();
    const run = await t.start();
    t.write(run, { 'a.txt': 'new\n', 'b.txt': 'b\n' });
    writeFileSync(join(t.folder, 'a.txt'), 'new\n');
    const waiting = await t.end(run);
    expect(waiting.effect?.files.map(({ path }) => path)).toEqual(['b.txt']);
    expect(waiting.effect?.run?.changedOutside).toEqual(['a.txt']);
    // Where the person has changes of their own, a run would become a branch.
    git(t.folder, 'commit', '-qam', 'second');
    const other = await t.start();
    t.write(other, { 'a.txt': 'other\n' });
    writeFileSync(join(t.folder, 'a.txt'), 'newer\n');
    expect(await t.end(other)).toMatchObject({ state: 'conflict' });
  });
});
