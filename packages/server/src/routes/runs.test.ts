import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditEntry, Run } from '@countersign/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { canMountRuns, closeRuns, openRuns, supervisorAt, type RunFixture } from '../testing/run-fixture.js';

afterEach(closeRuns);

const canMount = await canMountRuns();

/** The credential of a member of the world. */
async function asMember({ t }: RunFixture): Promise<Record<string, string>> {
  await t.api('POST', '/people', { name: 'Mia', role: null, worldRoles: { alpha: 'member' } });
  const wanted = { name: 'test', scopes: ['read', 'chat'] };
  const { token } = (await t.api<{ token: string }>('POST', '/people/mia/tokens', wanted)).body;
  return { Authorization: `Bearer ${token}` };
}

describe.runIf(canMount)('runs over HTTP', () => {
  it('[RUN15] [RUN16] [RUN16.1] asks once about all that a run changed, and a yes applies exactly that', async () => {
    const t = await openRuns({ 'a.txt': 'old\n' });
    const run = await t.start();
    expect(run).toMatchObject({ world: 'alpha', folder: t.folder, hidden: [], hosts: [] });
    expect((await t.show(run)).state).toBe('running');
    t.write(
      run,
      { 'a.txt': 'new\n', 'b/c.txt': 'c\n', '.git/HEAD': 'x', 'b/.git/config': 'x' },
      { exitCode: 3, variables: ['PATH'] },
    );
    const waiting = await t.end(run);
    expect(waiting).toMatchObject({
      state: 'waiting',
      exitCode: 3,
      effect: {
        files: [
          { path: 'a.txt', change: 'changed' },
          { path: 'b', change: 'added' },
          { path: 'b/c.txt', change: 'added' },
        ],
        leftOut: [{ path: '.git' }, { path: 'b/.git' }],
        run: { program: ['make', 'all'], exitCode: 3, variables: ['PATH'] },
      },
    });
    expect(t.read('a.txt')).toBe('old\n');
    // Once, however often it is told.
    expect((await t.end(run)).approvalId).toBe(waiting.approvalId);
    expect(await t.decide(waiting, 'approve')).toMatchObject({ status: 200 });
    await t.reach(run, 'applied');
    expect([t.read('a.txt'), t.read('b/c.txt')]).toEqual(['new\n', 'c\n']);
    expect([t.read('.git/HEAD'), t.read('b/.git/config')]).toEqual([undefined, undefined]);
    expect(t.t.errors).toEqual([]);
  });

  it('[RUN17] keeps the draft of a denied run, and asks again about it', async () => {
    const t = await openRuns({ 'a.txt': 'old\n' });
    const run = await t.start();
    t.write(run, { 'a.txt': 'new\n' });
    await t.decide(await t.end(run), 'deny', { reason: 'not now' });
    const denied = await t.reach(run, 'denied');
    expect(denied).toMatchObject({ reason: 'not now' });
    expect(Date.parse(denied.keptUntil ?? '')).toBeGreaterThan(t.t.clock.now());
    const { body } = await t.t.api('POST', `/worlds/alpha/runs/${run.id}/apply`);
    expect(body).toMatchObject({ state: 'waiting' });
    await t.decide(await t.show(run), 'approve');
    await t.reach(run, 'applied');
    expect(t.read('a.txt')).toBe('new\n');
    expect((await t.t.api('POST', `/worlds/alpha/runs/${run.id}/apply`)).status).toBe(409);
    expect((await t.t.api('POST', `/worlds/alpha/runs/${run.id}/discard`)).status).toBe(409);
  });

  it('[RUN16.2] refuses to apply over changes of others, and keeps the draft', async () => {
    const t = await openRuns({ 'a.txt': 'old\n' });
    const run = await t.start();
    t.write(run, { 'a.txt': 'new\n' });
    const waiting = await t.end(run);
    writeFileSync(join(t.folder, 'a.txt'), 'mine\n');
    await t.decide(waiting, 'approve');
    expect((await t.reach(run, 'conflict')).reason).toContain('a.txt');
    expect(t.read('a.txt')).toBe('mine\n');
  });

  it('[RUN17.1] [LOG1.1] removes a discarded draft, and denies what waits for a decision about it', async () => {
    const t = await openRuns({ 'a.txt': 'old\n' });
    const run = await t.start();
    t.write(run, { 'a.txt': 'new\n' });
    const waiting = await t.end(run);
    expect((await t.t.api('POST', `/worlds/alpha/runs/${run.id}/discard`)).body).toMatchObject({ state: 'discarded' });
    expect((await t.decide(waiting, 'approve')).status).toBe(409);
    expect((await t.t.api('POST', `/worlds/alpha/runs/${run.id}/apply`)).status).toBe(409);
    expect(t.read('a.txt')).toBe('old\n');
    const { body } = await t.t.api<{ items: AuditEntry[] }>('GET', '/worlds/alpha/audit');
    const about = { kind: 'policy', tool: 'run', arguments: { run: run.id, program: ['make', 'all'] } };
    const who: unknown = expect.objectContaining({ kind: 'token' });
    expect(body.items.filter(({ kind, tool }) => kind === 'policy' && tool === 'run')).toMatchObject([
      { ...about, decision: 'run started', who },
      { ...about, decision: 'run discarded', who },
    ]);
  });

  it('[RUN17.5] names somebody else who asks again, while the requester stays', async () => {
    const t = await openRuns({ 'a.txt': 'old\n' });
    const mia = await asMember(t);
    const run = await t.start();
    t.write(run, { 'a.txt': 'new\n' });
    await t.decide(await t.end(run), 'deny');
    await t.reach(run, 'denied');
    const { body } = await t.t.api<Run>('POST', `/worlds/alpha/runs/${run.id}/apply`, {}, mia);
    expect(body).toMatchObject({
      state: 'waiting',
      effect: { run: { notes: ['Mia asked to apply this run again.'] } },
    });
    await t.decide(body, 'deny');
    await t.reach(run, 'denied');
    const own = await t.t.api<Run>('POST', `/worlds/alpha/runs/${run.id}/apply`);
    expect(own.body.effect?.run?.notes ?? []).toEqual([]);
  });

  it('[RUN17] keeps the draft if no change can be made of it, says why, and asks when it can', async () => {
    const t = await openRuns({ 'a.txt': 'old\n' });
    const run = await t.start();
    t.write(run, { 'a.txt': 'new\n' });
    renameSync(t.folder, `${t.folder}-away`);
    const failed = await t.end(run);
    renameSync(`${t.folder}-away`, t.folder);
    expect(failed).toMatchObject({ state: 'failed', keptUntil: expect.any(String) as string });
    expect(failed.reason).toContain(t.folder);
    const { body } = await t.t.api('POST', `/worlds/alpha/runs/${run.id}/apply`);
    expect(body).toMatchObject({ state: 'waiting' });
    expect(body).not.toHaveProperty('reason');
  });

  it('[RUN17.1] a run whose program could not be started can be discarded', async () => {
    const t = await openRuns();
    const run = await t.start();
    const user = spawn('/bin/sh', ['-c', 'echo; read -r _', run.root]);
    await once(user.stdout, 'data');
    const path = `/worlds/alpha/runs/${run.id}/discard`;
    expect((await t.t.api('POST', path)).status).toBe(409);
    user.stdin.end();
    await once(user, 'close');
    expect((await t.t.api('POST', path)).body).toMatchObject({ state: 'discarded' });
  });

  it('[RUN16.3] says which changes were lost if none can be applied', async () => {
    const t = await openRuns();
    const run = await t.start();
    t.write(run, { '.git/HEAD': 'x' });
    expect(await t.end(run)).toMatchObject({
      state: 'unchanged',
      reason: 'Nothing of what it changed can be applied: .git',
    });
  });

  it('[RUN20] lists runs in pages, newest first', async () => {
    const t = await openRuns();
    const first = await t.start();
    t.t.clock.advance(1);
    const second = await t.start();
    const list = async (query: string): Promise<{ items: { id: string }[]; next?: string }> =>
      (await t.t.api<{ items: { id: string }[]; next?: string }>('GET', `/worlds/alpha/runs?limit=1${query}`)).body;
    const page = await list('');
    expect(page).toMatchObject({ items: [{ id: second.id }], next: second.id });
    expect(await list(`&after=${page.next}`)).toMatchObject({ items: [{ id: first.id }] });
  });

  it('[RUN16.3] needs no approval for a run that changed nothing', async () => {
    const t = await openRuns({ 'a.txt': 'old\n' });
    const run = await t.start();
    t.write(run, {});
    expect(await t.end(run)).toMatchObject({ state: 'unchanged', exitCode: 0 });
    expect((await t.t.api<{ items: unknown[] }>('GET', '/worlds/alpha/approvals')).body.items).toEqual([]);
  });

  it('[RUN17.3] refuses a run if its person has 200 drafts, and counts none that were applied or changed nothing', async () => {
    const t = await openRuns();
    const mia = await asMember(t);
    const copy = async ({ id, root }: { id: string; root: string }): Promise<void> => {
      const copied = `run_${crypto.randomUUID()}`;
      const to = root.replace(id, copied);
      await mkdir(to);
      for (const name of ['run.json', 'ended.json', 'status.json']) {
        const text = await readFile(join(root, name), 'utf8').catch(() => undefined);
        if (text !== undefined) await writeFile(join(to, name), text.replace(id, copied));
      }
    };
    const unchanged = await t.start();
    t.write(unchanged, {});
    expect((await t.end(unchanged)).state).toBe('unchanged');
    for (let count = 1; count < 200; count += 1) await copy(unchanged);
    const running = await t.start();
    for (let count = 1; count < 200; count += 1) await copy(running);
    await expect(t.start()).rejects.toThrow('You have 200 drafts of runs already.');
    const asked = { program: ['make'], supervisor: supervisorAt(process.pid) };
    expect((await t.t.api('POST', '/worlds/alpha/runs', asked, mia)).status).toBe(201);
  });
});
