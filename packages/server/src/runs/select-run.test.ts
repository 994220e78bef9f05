import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Approval, Run, StartedRun } from '@countersign/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { tokenOf } from '../testing/people.js';
import { canMountRuns, closeRuns, openRuns, supervisorAt, type RunFixture } from '../testing/run-fixture.js';

afterEach(closeRuns);

const canMount = await canMountRuns();

const lines = (changed: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: 30 }, (_, at) => `${changed[at] ?? at}\n`).join('');

const FILES = { 'list.txt': lines(), 'bin.dat': 'a\0', 'latin.txt': 'x\n' };

type Headers = Record<string, string>;

/** A run that changed two blocks of a file, and others. */
async function openEnded(
  options: Parameters<typeof openRuns>[1] = {},
  signIn?: (t: RunFixture, name: string) => Promise<Headers>,
) {
  const t = await openRuns(FILES, options);
  const asked = { program: ['make', 'all'], supervisor: supervisorAt(process.pid) };
  const { body: run } = await t.t.api<StartedRun>('POST', '/worlds/alpha/runs', asked, await signIn?.(t, 'Mia'));
  t.write(run, { 'list.txt': lines({ 2: 'two', 20: 'twenty' }), 'src/new.txt': 'new\n', 'src/other.txt': 'other\n' });
  t.write(run, { 'bin.dat': 'b\0', 'latin.txt': 'y\n' });
  chmodSync(join(run.root, 'upper', 'src'), 0o750);
  const waiting = await t.end(run);
  const select = async (part: object, by?: Headers, { id }: { id: string } = run) =>
    await t.t.api<Run & { detail: string }>(
      'POST',
      `/worlds/alpha/runs/${id}/select`,
      { effectHash: waiting.effect?.effectHash, ...part },
      by,
    );
  return { t, run, waiting, select };
}

const pathsOf = (run: Run): unknown => run.effect?.files.map(({ path }) => path).toSorted();
const PART = { paths: ['src/new.txt'], hunks: [{ path: 'list.txt', hunk: 2 }] };

describe.runIf(canMount)('taking a part of a run', () => {
  it('[RUN33] [RUN33.1] [RUN33.4] applies exactly what was selected, and then asks about the rest', async () => {
    const { t, run, waiting, select } = await openEnded();
    const part = (await select(PART)).body;
    expect(part).toMatchObject({ state: 'waiting', partOf: run.id, effect: { run: { part: { of: run.id } } } });
    expect(pathsOf(part)).toEqual(['list.txt', 'src', 'src/new.txt']);
    expect(part.effect?.effectHash).not.toBe(waiting.effect?.effectHash);
    expect((await t.show(run)).approvalId).toBe(waiting.approvalId);
    await t.decide(part, 'approve');
    await t.reach(part, 'applied');
    expect([t.read('list.txt'), t.read('src/new.txt'), t.read('src/other.txt'), t.read('latin.txt')]).toEqual([
      lines({ 20: 'twenty' }),
      'new\n',
      undefined,
      'x\n',
    ]);

    await expect.poll(async () => (await t.show(run)).callId).not.toBe(waiting.callId);
    const rest = await t.reach(run, 'waiting');
    expect(pathsOf(rest)).toEqual(['bin.dat', 'latin.txt', 'list.txt', 'src/other.txt']);
    expect(rest.effect?.files.find(({ path }) => path === 'list.txt')?.lines).toEqual({ added: 1, removed: 1 });
    expect(rest.effect?.run?.changedOutside ?? []).toEqual([]);
    expect(rest.effect?.run?.notes?.join()).toContain(part.id);
    expect((await t.decide(waiting, 'approve')).status).not.toBe(200);
    await t.decide(rest, 'approve');
    await t.reach(run, 'applied');
    expect([t.read('list.txt'), t.read('src/other.txt')]).toEqual([lines({ 2: 'two', 20: 'twenty' }), 'other\n']);
    expect(t.t.errors).toEqual([]);
  });

  it('[RUN33.1] [RUN33.5] no rule allows it, and the person who selected is a requester', async () => {
    const signIn = async ({ t: app }: RunFixture, name: string): Promise<Headers> =>
      await tokenOf(app, name, null, ['read', 'chat', 'sign'], { alpha: 'approver' });
    const { t, run, select } = await openEnded({ rules: ['ask run(make all)'] }, signIn);
    const ann = await signIn(t, 'Ann');
    await signIn(t, 'Ben');
    await t.setRules('allow run(make *) writing **');
    const part = (await select(PART, ann)).body;
    expect(part.state).toBe('waiting');
    const look = async ({ approvalId }: Run) => await t.t.api<Approval>('GET', `/worlds/alpha/approvals/${approvalId}`);
    expect((await look(part)).text).toContain('run-part');
    await t.setRules('ask run by not requester');
    const second = (await select({ paths: ['latin.txt'] }, ann)).body;
    const { needs } = (await look(second)).body;
    expect(needs?.[0]?.mayIds).toContain('ben');
    expect(needs?.[0]?.mayIds).not.toContain('ann');
    // A program would run in a draft without the folder's Git, so only the run itself can be sent back.
    const again = `/worlds/alpha/runs/${second.id}/request-changes`;
    expect((await t.t.api('POST', again, { message: 'Again.' })).status).toBe(409);
    expect((await t.show(second)).approvalId).toBe(second.approvalId);
    const own = { effectHash: second.effect?.effectHash, paths: ['latin.txt'] };
    expect((await select(own, ann, second)).body.detail).toContain(`This is a part of ${run.id}`);
  });

  it('[RUN33.2] [RUN33.4] keeps the rest of a run in conflict with what others changed since', async () => {
    const { t, run, waiting, select } = await openEnded();
    const part = (await select({ hunks: [{ path: 'list.txt', hunk: 1 }] })).body;
    await t.decide(waiting, 'deny');
    await t.decide(part, 'approve');
    await t.reach(part, 'applied');
    // Nobody is asked again about what was denied.
    expect((await t.show(run)).state).toBe('denied');
    writeFileSync(join(t.folder, 'list.txt'), lines({ 2: 'two', 9: 'somebody else' }));
    await t.t.api('POST', `/worlds/alpha/runs/${run.id}/apply`);
    expect(await t.show(run)).toMatchObject({
      state: 'conflict',
      reason: expect.stringContaining('list.txt') as string,
    });
    expect(t.read('list.txt')).toContain('somebody else');
  });

  it('[RUN33] takes removals, and both sides of a move', async () => {
    const t = await openRuns({ 'old.txt': 'old\n', 'from.txt': 'moved\n', 'kept.txt': 'kept\n' });
    if (t === undefined) return;
    const run = await t.start();
    for (const name of ['old.txt', 'from.txt', 'kept.txt'])
      execFileSync('mknod', [join(run.root, 'upper', name), 'c', '0', '0']);
    t.write(run, { 'to/moved.txt': 'moved\n' });
    const { effect } = await t.end(run);
    const asked = { effectHash: effect?.effectHash, paths: ['old.txt', 'to/moved.txt'] };
    const { body: part } = await t.t.api<Run>('POST', `/worlds/alpha/runs/${run.id}/select`, asked);
    await t.decide(part, 'approve');
    await t.reach(part, 'applied');
    expect(
      ['old.txt', 'from.txt', 'kept.txt', 'to/moved.txt'].filter((name) => existsSync(join(t.folder, name))),
    ).toEqual(['kept.txt', 'to/moved.txt']);
    const rest = await t.reach(run, 'waiting');
    await expect.poll(async () => pathsOf(await t.show(rest))).toEqual(['kept.txt']);
  });

  it('[RUN33.3] refuses with a sentence what it can’t apply alone, and keeps nothing of it', async () => {
    const { t, run, select } = await openEnded();
    const ids = await t.drafts.kept.list();
    const refused: [object, string][] = [
      [{ paths: ['none.txt'] }, 'none.txt is not part of the change'],
      [{ hunks: [{ path: 'list.txt', hunk: 3 }] }, 'list.txt has no such block'],
      [{ hunks: [{ path: 'bin.dat', hunk: 1 }] }, 'bin.dat has no such block'],
      [{ hunks: [{ path: 'src/new.txt', hunk: 1 }] }, 'src/new.txt can only be selected as a whole'],
      [{ paths: ['latin.txt'], effectHash: '0'.repeat(64) }, 'not the one that you looked at'],
    ];
    for (const [part, sentence] of refused) {
      const { status, body } = await select(part);
      expect([status, body.detail]).toEqual([409, expect.stringContaining(sentence)]);
    }
    for (const bad of [{}, { paths: ['../x'] }, { paths: ['.'] }, { hunks: [{ path: 'list.txt', hunk: 0 }] }])
      expect((await select(bad)).status).toBe(422);
    writeFileSync(join(t.folder, 'latin.txt'), 'somebody else\n');
    expect((await select({ paths: ['latin.txt'] })).body.detail).toContain('latin.txt');
    expect(await t.drafts.kept.list()).toEqual(ids);
    expect((await t.show(run)).state).toBe('waiting');
    expect(t.t.errors).toEqual([]);
  });
});
