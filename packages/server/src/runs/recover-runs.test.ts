import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, linkSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sealedCallOf } from '@countersign/core';
import { signerSchema, type Run } from '@countersign/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { canMountRuns, closeRuns, openRuns, supervisorAt, type RunFixture } from '../testing/run-fixture.js';
import { endRun } from './end-run.js';
import { KEPT_MS } from './runs.js';
import { recoverRuns, sweepRuns } from './watch-runs.js';

afterEach(closeRuns);

const canMount = await canMountRuns();

const open = (): Promise<RunFixture> => openRuns({ 'a.txt': 'old\n', 'b.txt': 'old\n' });

interface Plan {
  readonly steps: readonly { readonly id: number; readonly name: string }[];
}

const log = { info: () => undefined, warn: () => undefined, error: (_: string, fields?: object) => fail(fields) };

function fail(fields: object | undefined): never {
  throw new Error('something was logged', { cause: fields });
}

function contextOf({ t, drafts }: RunFixture) {
  return { engine: t.engine, runs: { drafts, homes: '/nonexistent' }, log };
}

describe.runIf(canMount)('[RUN19] a run outlives its supervisor and the server', () => {
  it('is sealed and asked about once if nobody told the server that it has ended', async () => {
    const t = await open();
    const run = await t.start();
    t.write(run, { 'a.txt': 'new\n' });
    await sweepRuns(contextOf(t));
    const waiting = await t.show(run);
    expect(waiting).toMatchObject({ state: 'waiting' });
    await Promise.all([sweepRuns(contextOf(t)), t.end(run), endRun(contextOf(t), run.id)]);
    expect((await t.t.api<{ items: unknown[] }>('GET', '/worlds/alpha/approvals')).body.items).toHaveLength(1);
    expect(await t.show(run)).toEqual(waiting);
  });

  it('is asked about after the server died between sealing and proposing', async () => {
    const t = await open();
    const run = await t.start();
    t.write(run, { 'a.txt': 'new\n' });
    const { kept } = t.drafts;
    const { record } = (await kept.read(run.id)) ?? {};
    const about = { program: ['make', 'all'], exitCode: 0 };
    const protectedPaths = { isProtected: () => false, mayHold: () => 'nothing' as const };
    await t.drafts.seal(run.id, { about, protectedPaths, signal: new AbortController().signal });
    const named = { agentId: record?.agentId ?? '', session: run.id, key: 'apply 1' };
    await kept.bind(run.id, sealedCallOf(t.t.engine.runtime, 'alpha', named, signerSchema.parse(record?.by)));
    expect((await t.show(run)).state).toBe('ended');
    await sweepRuns(contextOf(t));
    await t.decide(await t.show(run), 'approve');
    await t.reach(run, 'applied');
    expect(t.read('a.txt')).toBe('new\n');
  });

  it('[RUN19.1] has ended if its supervisor died and no process has its draft', async () => {
    const t = await open();
    const dying = spawn('/bin/cat');
    const supervisor = supervisorAt(dying.pid ?? 0);
    const run = await t.start({ supervisor });
    dying.stdin.end();
    await once(dying, 'close');
    const forged = { program: ['true'], supervisor: { ...supervisor, pid: process.pid } };
    for (const one of [forged, { ...forged, supervisor }])
      expect((await t.t.api('POST', '/worlds/alpha/runs', one)).status).toBe(409);
    const alive = await t.start();
    writeFileSync(join(run.root, 'upper', 'a.txt'), 'new\n');
    const user = spawn('/bin/sh', ['-c', 'echo; read -r _', join(run.root, 'merged')]);
    await once(user.stdout, 'data');
    await sweepRuns(contextOf(t));
    expect((await t.show(run)).state).toBe('running');
    user.stdin.end();
    await once(user, 'close');
    await sweepRuns(contextOf(t));
    expect(await t.show(run)).toMatchObject({ state: 'waiting', exitCode: -1 });
    expect((await t.show(alive)).state).toBe('running');
    expect((await t.t.api('POST', `/worlds/alpha/runs/${alive.id}/end`)).status).toBe(409);
  });

  it('[RUN19.2] [RUN19.3] is rolled back if the server died while it applied it, and can be applied again', async () => {
    const t = await open();
    const run = await t.start();
    t.write(run, { 'a.txt': 'new\n', 'b.txt': 'new\n' });
    const { callId, chatId } = await t.end(run);
    const status = { state: 'applying', callId, chatId, calls: 1, at: 1 };
    const at = (name: string): string => join(run.root, name);
    // As a server leaves it that is killed after the first of two files.
    const { plan } = JSON.parse(readFileSync(at('rehearsal.json'), 'utf8')) as { plan: Plan };
    writeFileSync(at('journal.json'), JSON.stringify({ workingDirectory: t.folder, plan }));
    const { id } = plan.steps.find(({ name }) => name === 'a.txt') ?? {};
    writeFileSync(at('steps'), `${id} ${lstatSync(at('upper/a.txt')).ino}\n`);
    mkdirSync(at('before'));
    linkSync(join(t.folder, 'a.txt'), at(`before/${id}`));
    renameSync(at('upper/a.txt'), join(t.folder, 'a.txt'));
    writeFileSync(at('status.json'), JSON.stringify(status));
    await recoverRuns({ runs: { drafts: t.drafts, homes: '' }, log });
    expect(await t.show(run)).toMatchObject({ state: 'failed' });
    expect([t.read('a.txt'), t.read('b.txt')]).toEqual(['old\n', 'old\n']);
    const again = await t.t.api<Run>('POST', `/worlds/alpha/runs/${run.id}/apply`, {});
    expect(again.body.effect?.files.map(({ path }) => path)).toEqual(['a.txt', 'b.txt']);
    await t.decide(again.body, 'approve');
    await t.reach(run, 'applied');
    expect([t.read('a.txt'), t.read('b.txt')]).toEqual(['new\n', 'new\n']);
    // Killed once all of it was applied.
    writeFileSync(at('status.json'), JSON.stringify(status));
    writeFileSync(at('applied.json'), '{}');
    await recoverRuns({ runs: { drafts: t.drafts, homes: '' }, log });
    expect(await t.show(run)).toMatchObject({ state: 'applied' });
  });

  it('leaves no folder if the server died while it started one', async () => {
    const t = await open();
    const { root } = await t.start();
    rmSync(join(root, 'run.json'));
    await recoverRuns({ runs: { drafts: t.drafts, homes: '' }, log });
    expect(existsSync(root)).toBe(false);
  });

  it('[RUN17.2] is removed two weeks after it was denied, and never while it waits', async () => {
    const t = await open();
    const run = await t.start();
    t.write(run, { 'a.txt': 'new\n' });
    const waiting = await t.end(run);
    t.t.clock.advance(2 * KEPT_MS);
    await sweepRuns(contextOf(t));
    expect((await t.show(run)).state).toBe('waiting');
    await t.decide(waiting, 'deny');
    await t.reach(run, 'denied');
    t.t.clock.advance(KEPT_MS - 60_000);
    await sweepRuns(contextOf(t));
    expect(existsSync(run.root)).toBe(true);
    t.t.clock.advance(60_000);
    await sweepRuns(contextOf(t));
    expect(existsSync(run.root)).toBe(false);
  });

  it('[RUN17] is not read again once nothing is left to do, until it is removed', async () => {
    const t = await open();
    const run = await t.start();
    t.write(run, {});
    expect((await t.end(run)).state).toBe('unchanged');
    let reads = 0;
    const read = (id: string) => {
      reads += 1;
      return t.drafts.kept.read(id);
    };
    const context = contextOf(t);
    const drafts = { ...t.drafts, kept: { ...t.drafts.kept, read } };
    const counted = { ...context, runs: { ...context.runs, drafts } };
    await sweepRuns(counted);
    expect(reads).toBeGreaterThan(0);
    reads = 0;
    await sweepRuns(counted);
    expect(reads).toBe(0);
    t.t.clock.advance(Date.parse((await t.show(run)).keptUntil ?? '') - t.t.clock.now());
    await sweepRuns(counted);
    expect(existsSync(run.root)).toBe(false);
  });

  it('[RUN21] can be undone as a whole, with its removed files', async () => {
    const t = await open();
    const run = await t.start();
    t.write(run, { 'a.txt': 'new\n', 'sub/c.txt': 'c\n' });
    const waiting = await t.end(run);
    await t.decide(waiting, 'approve');
    await t.reach(run, 'applied');
    await t.t.engine.quiet();
    const path = `/worlds/alpha/calls/${waiting.callId}/undo`;
    const { body } = await t.t.api<{ effect: { effectHash: string } }>('GET', path);
    expect((await t.t.api('POST', path, { effectHash: body.effect.effectHash })).status).toBe(200);
    expect([t.read('a.txt'), t.read('sub/c.txt'), existsSync(join(t.folder, 'sub'))]).toEqual([
      'old\n',
      undefined,
      false,
    ]);
  });
});
