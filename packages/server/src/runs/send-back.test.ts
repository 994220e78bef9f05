import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Approval, AuditEntry, Run, StartedRun } from '@countersign/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { tokenOf } from '../testing/people.js';
import { canMountRuns, closeRuns, openRuns, supervisorAt } from '../testing/run-fixture.js';

afterEach(closeRuns);

const canMount = await canMountRuns();

type Headers = Record<string, string>;

const supervisor = supervisorAt(process.pid);
const ASKED = { message: 'Keep the old greeting.', comments: [{ path: 'a.txt', line: 1, text: 'Not this one.' }] };

describe.runIf(canMount)('asking for changes to a run', () => {
  it('[RUN31] [RUN31.1] [RUN31.2] [RUN31.3] continues in the same draft, says what is different, and excludes everyone who asked', async () => {
    const t = await openRuns({ 'a.txt': 'old\n' });
    const post = async <T>(how: string, body: unknown, by: Headers) =>
      await t.t.api<T>('POST', `/worlds/alpha/runs${how}`, body, by);
    const signIn = async (name: string): Promise<Headers> =>
      await tokenOf(t.t, name, null, ['read', 'chat', 'sign'], { alpha: 'approver' });
    const [mia, ann, ben] = [await signIn('Mia'), await signIn('Ann'), await signIn('Ben')];
    await t.setRules('ask run by not requester');
    const run = (await post<StartedRun>('', { program: ['make'], supervisor }, mia)).body;
    const hosts = [{ host: 'one.example', port: 443, allowed: false, count: 1 }];
    t.write(run, { 'a.txt': 'one\n', 'b.txt': 'b\n', 'same.txt': 'same\n' }, { hosts });
    const first = await t.end(run);
    const look = async (seen: Run): Promise<Approval> =>
      (await t.t.api<Approval>('GET', `/worlds/alpha/approvals/${seen.approvalId}`)).body;
    expect((await look(first)).needs?.[0]?.mayIds).toEqual(expect.arrayContaining(['ann', 'ben']) as unknown);
    expect((await post(`/${run.id}/restart`, { program: ['make'], supervisor }, mia)).status).toBe(409);

    const sent = await post<Run>(`/${run.id}/request-changes`, ASKED, ann);
    expect(sent.body).toMatchObject({ state: 'sent-back', request: { by: { id: 'ann' }, ...ASKED } });
    expect(Date.parse(sent.body.keptUntil ?? '')).toBeGreaterThan(t.t.clock.now());
    expect((await t.decide(first, 'approve')).status).not.toBe(200);
    expect((await post(`/${run.id}/apply`, undefined, mia)).status).toBe(409);
    // It has the login and the home of another person.
    expect((await post(`/${run.id}/restart`, { program: ['make'], supervisor }, ann)).status).toBe(403);

    const again = await post<StartedRun>(`/${run.id}/restart`, { program: ['make', 'again'], supervisor }, mia);
    expect(again).toMatchObject({ status: 200, body: { id: run.id, root: run.root, folder: t.folder } });
    expect((await t.show(run)).state).toBe('running');
    expect((await post(`/${run.id}/request-changes`, ASKED, ann)).status).toBe(409);
    rmSync(join(run.root, 'upper', 'b.txt'));
    t.write(run, { 'a.txt': 'two\n', 'c.txt': 'c\n' }, { exitCode: 2, hosts });
    const second = await t.end(run);
    expect(second).toMatchObject({
      state: 'waiting',
      effect: {
        run: {
          program: ['make'],
          later: [['make', 'again']],
          exitCode: 2,
          hosts: [{ count: 2 }],
          requests: [{ by: 'Ann', message: ASKED.message, comments: 1 }],
          sinceLook: { added: ['c.txt'], changed: ['a.txt'], removed: ['b.txt'], unlisted: 0 },
        },
      },
    });
    expect(second.callId).not.toBe(first.callId);
    expect(second.chatId).toBe(first.chatId);
    const needs = (await look(second)).needs?.[0];
    expect(needs?.mayIds).toContain('ben');
    expect(needs?.mayIds).not.toContain('ann');
    const sign = async (by: Headers): Promise<number> => {
      const { callHash } = await look(second);
      const decision = { tool_call_id: second.callId, decision: 'approve', callHash };
      return (await t.t.api('POST', '/worlds/alpha/tool-results', decision, by)).status;
    };
    expect(await sign(mia)).toBe(403);
    expect(await sign(ann)).toBe(403);
    expect(t.read('a.txt')).toBe('old\n');
    expect(await sign(ben)).toBe(200);
    await t.reach(run, 'applied');
    expect([t.read('a.txt'), t.read('b.txt'), t.read('c.txt'), t.read('same.txt')]).toEqual([
      'two\n',
      undefined,
      'c\n',
      'same\n',
    ]);
    const { body } = await t.t.api<{ items: AuditEntry[] }>('GET', '/worlds/alpha/audit?limit=100');
    const noted = body.items.filter(({ kind, tool }) => kind === 'policy' && tool === 'run');
    expect(noted.map(({ decision, who }) => `${decision} ${who?.id}`)).toEqual([
      'run started mia',
      'run sent back ann',
      'run restarted mia',
    ]);
    expect(JSON.stringify(noted[1]?.arguments)).toContain('Not this one.');
    expect(t.t.errors).toEqual([]);
  });

  it('[RUN31.4] a rule that allowed the program allows nothing that was sent back', async () => {
    const t = await openRuns({ 'a.txt': 'old\n' }, { rules: ['allow run(make *) writing **', 'ask run(make first)'] });
    const run = await t.start({ program: ['make', 'first'] });
    t.write(run, { 'a.txt': 'new\n' });
    await t.end(run);
    const sent = t.t.api('POST', `/worlds/alpha/runs/${run.id}/request-changes`, ASKED);
    // People who wait for the decision never see only the denial.
    const seen: string[] = [];
    while (seen.at(-1) !== 'sent-back') seen.push((await t.show(run)).state);
    expect(seen).not.toContain('denied');
    await sent;
    await t.setRules('allow run(make *) writing **');
    await t.t.api('POST', `/worlds/alpha/runs/${run.id}/restart`, { program: ['make', 'second'], supervisor });
    t.write(run, { 'a.txt': 'newer\n' });
    const waiting = await t.end(run);
    expect(waiting.state).toBe('waiting');
    const { body } = await t.t.api('GET', `/worlds/alpha/approvals/${waiting.approvalId}`);
    expect(JSON.stringify(body)).toContain('run-sent-back');
  });

  it('[RUN31] [RUN31.1] asks about a denied run, survives a server that died in between, and keeps what was set aside', async () => {
    const t = await openRuns({ '.gitignore': 'out\n', 'a.txt': 'old\n' });
    const run = await t.start();
    t.write(run, { 'a.txt': 'new\n', 'out/x': 'x\n' });
    await t.decide(await t.end(run), 'deny');
    await t.reach(run, 'denied');
    const path = `/worlds/alpha/runs/${run.id}`;
    expect((await t.t.api<Run>('POST', `${path}/request-changes`, ASKED)).body.state).toBe('sent-back');
    await t.t.api('POST', `${path}/restart`, { program: ['make'], supervisor });
    expect(existsSync(join(run.root, 'upper', 'out', 'x'))).toBe(true);
    // The supervisor wrote the end, and no server heard of it.
    t.write(run, {}, { exitCode: 1 });
    expect((await t.show(run)).state).toBe('ended');
    await t.t.api('POST', `${path}/end`);
    expect(await t.show(run)).toMatchObject({ state: 'waiting', exitCode: 1 });
  });

  it('[RUN31.5] refuses what people could not have read or written', async () => {
    const t = await openRuns();
    const run = await t.start();
    t.write(run, { 'a.txt': 'new\n' });
    const { approvalId } = await t.end(run);
    const comment = { path: 'a', text: 'a'.repeat(1_000) };
    const bad = [
      { message: ' ' },
      { message: 'a\u001B[2Jb' },
      { message: 'a\u202Eb' },
      { message: 'a', comments: [{ path: '../a', text: 'a' }] },
      { message: 'a', comments: Array.from({ length: 20 }, () => comment) },
      { message: 'a', to: 'somebody' },
    ];
    for (const body of bad)
      expect((await t.t.api('POST', `/worlds/alpha/runs/${run.id}/request-changes`, body)).status).toBe(422);
    expect((await t.show(run)).approvalId).toBe(approvalId);
  });
});
