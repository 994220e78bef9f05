import { readFile, writeFile } from 'node:fs/promises';
import { CLIENT_GRACE_MS } from '@countersign/core';
import { createFakeClock, scripted } from '@countersign/core/testing';
import { describe, expect, it } from 'vitest';
import { openWorld } from './open-world.js';
import { closeTestWorld, openTestWorld } from './testing/fixture.js';
import { freshFolder } from './testing/fresh-folder.js';
import { first, obedient, propose, recorder, remove } from './testing/obedient.js';
import { openRaw, type RawDatabase } from './testing/raw-database.js';
import { person } from './testing/test-engine.js';

const inFolder = freshFolder();
/** Signs for a program that names nobody. */
const PROGRAM = { kind: 'token', id: 'program', name: 'program' };

describe('the audit log', () => {
  it('[LOG1] records when a call was requested, who decided it and from where, when it started, and how it ended', async () => {
    const t = await openTestWorld({ script: obedient, tools: [recorder().tool] });
    await propose(t, remove('a'));
    const approval = await t.onlyApproval();
    await t.world.decide(approval, { decision: 'approve', reason: 'tidy' }, { who: 'meg', via: 'desk' });
    await t.chat.settled();
    const about = {
      worldId: t.world.id,
      chatId: t.chat.id,
      agentId: 'ada',
      tool: 'remove',
      invocationId: approval.toolCallId,
      arguments: { path: 'a' },
    };
    expect((await t.world.audit()).slice(1)).toMatchObject([
      { ...about, seq: 2, kind: 'request', why: 'no rule allows this call' },
      {
        ...about,
        seq: 3,
        kind: 'decision',
        decision: 'approve',
        scope: 'once',
        who: { kind: 'person', id: 'meg', name: 'meg' },
        via: 'desk',
        why: 'tidy',
      },
      { ...about, seq: 4, kind: 'run', why: 'decision' },
      { ...about, seq: 5, kind: 'outcome', decision: 'succeeded' },
    ]);
    expect((await t.world.audit()).every(({ at }) => !Number.isNaN(Date.parse(at)))).toBe(true);
  });

  it('[LOG1] records which rule required approval, allowed or denied a call', async () => {
    const t = await openTestWorld({
      script: obedient,
      tools: [recorder().tool],
      policy: ['ask remove(path=a)', 'allow remove(path=b)', 'deny remove(path=c)'],
    });
    await propose(t, remove('a'), remove('b'), remove('c'));
    await t.world.decide(await t.onlyApproval(), { decision: 'deny' });
    await t.chat.settled();
    const rules = (await t.world.audit()).map(({ kind, rule }) => [kind, rule]);
    expect(rules).toContainEqual(['request', 'ask remove(path=a)']);
    expect(rules).toContainEqual(['decision', 'ask remove(path=a)']);
    expect(rules).toContainEqual(['run', 'allow remove(path=b)']);
    expect(rules).toContainEqual(['refusal', 'deny remove(path=c)']);
  });

  it('[LOG1.1] records every policy change: of the world, of an agent, and of the mode', async () => {
    const t = await openTestWorld({ policy: ['deny remove'] });
    await t.world.setPolicy(['ask remove']);
    await t.world.update({ mode: 'auto' });
    await t.world.updateAgent('ada', { policy: ['deny rename'] });
    const changes = (await t.world.audit()).filter(({ kind }) => kind === 'policy');
    expect(changes).toContainEqual(expect.objectContaining({ rule: 'deny remove', decision: 'added' }));
    expect(changes).toContainEqual(expect.objectContaining({ rule: 'ask remove', decision: 'added', who: PROGRAM }));
    expect(changes).toContainEqual(expect.objectContaining({ rule: 'deny remove', decision: 'removed', who: PROGRAM }));
    expect(changes).toContainEqual(expect.objectContaining({ decision: 'mode auto' }));
    expect(changes).toContainEqual(expect.objectContaining({ agentId: 'ada', rule: 'deny rename', decision: 'added' }));
  });

  it('[LOG1.1] records every other setting that affects what a call may do: tools, folder, agents, clients', async () => {
    const clock = createFakeClock();
    const t = await openTestWorld({ clock, agents: [{ name: 'Ada', tools: ['look'] }] });
    await t.world.updateAgent('ada', { tools: ['look', 'remove'], systemPrompt: 'Be bold. '.repeat(100) });
    await t.world.update({ workingDirectory: inFolder('.'), turnLimit: 7 });
    const { clientId } = await t.world.clients.register(t.world.id, { label: 'editor', approvals: false }, person);
    clock.advance(CLIENT_GRACE_MS);
    await t.heard(({ event, data }) => event === 'crud' && 'operation' in data && data.operation === 'delete');
    await t.world.removeAgent('ada');
    const changes = (await t.world.audit()).filter(({ kind }) => kind === 'policy');
    expect(changes).toMatchObject([
      { decision: 'agent added', agentId: 'ada', why: 'tools: look' },
      { decision: 'agent changed', agentId: 'ada', why: 'systemPrompt; tools from ["look"] to ["look","remove"]' },
      { decision: 'world changed', why: expect.stringContaining('workingDirectory') as string, who: PROGRAM },
      { decision: 'client registered', client: clientId, why: 'editor: no approvals, no tools', who: person.who },
      { decision: 'client left', client: clientId, why: 'editor' },
      { decision: 'agent removed', agentId: 'ada', who: PROGRAM },
    ]);
  });

  it('[LOG1.1] records no change if nothing changed', async () => {
    const t = await openTestWorld();
    await t.world.updateAgent('ada', { tools: ['*'] });
    await t.world.update({ turnLimit: 5 });
    expect(await t.world.audit()).toHaveLength(1);
  });

  it('[LOG1] records who wrote the rules of an agent that was added when its world was opened', async () => {
    const ada = { name: 'Ada', provider: 'scripted', model: 'any', policy: ['deny rename'] };
    const world = await openWorld(':memory:', { name: 'Harbour', agents: [ada], providers: [scripted([])] });
    const changes = (await world.audit()).filter(({ kind }) => kind === 'policy');
    expect(changes).toMatchObject([
      { agentId: 'ada', decision: 'agent added', why: 'tools: none', who: PROGRAM },
      { agentId: 'ada', rule: 'deny rename', decision: 'added', who: PROGRAM },
    ]);
    await world.close();
  });

  it('[LOG1] records who stopped a chat, and that this denied its pending calls', async () => {
    const t = await openTestWorld({ script: obedient, tools: [recorder().tool] });
    await propose(t, remove('a'));
    await t.chat.stop();
    const records = await t.world.audit();
    expect(records).toContainEqual(expect.objectContaining({ kind: 'stop', who: PROGRAM, via: 'library' }));
    expect(records).toContainEqual(
      expect.objectContaining({ kind: 'decision', decision: 'deny', why: 'stopped', tool: 'remove', who: PROGRAM }),
    );
  });

  it('[LOG1] records that removing an agent ended its approvals', async () => {
    const t = await openTestWorld({ script: obedient, tools: [recorder().tool] });
    await propose(t, remove('a'));
    await t.world.removeAgent('ada');
    expect(await t.world.approvals()).toEqual([]);
    expect(await t.world.audit()).toContainEqual(
      expect.objectContaining({ kind: 'decision', decision: 'deny', agentId: 'ada', who: PROGRAM }),
    );
  });

  it('[LOG1.2] is chained: each record contains the hash of the previous one', async () => {
    const t = await openTestWorld({ script: obedient, tools: [recorder().tool] });
    await propose(t, remove('a'), remove('b'));
    const records = await t.world.audit();
    expect(first(records).previousHash).toBe('');
    expect(records.slice(1).map(({ previousHash }) => previousHash)).toEqual(
      records.slice(0, -1).map(({ hash }) => hash),
    );
    expect(await t.world.verifyAudit()).toEqual({ ok: true, records: records.length });
  });
});

describe('tampering', () => {
  /** Creates a file with a few records, tampers with it and verifies it. */
  async function verdictAfter(tamper: (raw: RawDatabase, file: string) => void | Promise<void>) {
    const file = inFolder('harbour.db');
    const { tool: removing } = recorder();
    const t = await openTestWorld({ script: obedient, tools: [removing], file });
    await propose(t, remove('a'), remove('b'));
    for (const approval of await t.world.approvals()) await t.world.decide(approval, { decision: 'deny' });
    await t.chat.settled();
    expect(await t.world.verifyAudit()).toMatchObject({ ok: true, records: 5 });
    await closeTestWorld(t);
    const raw = openRaw(file);
    try {
      await tamper(raw, file);
    } finally {
      raw.close();
    }
    const again = await openTestWorld({ script: obedient, tools: [removing], file });
    return { verdict: await again.world.verifyAudit(), again };
  }

  it('[LOG1.2] an untouched log verifies after a restart', async () => {
    expect((await verdictAfter(() => undefined)).verdict).toEqual({ ok: true, records: 5 });
  });

  it('[LOG1.2] an edited record is detected', async () => {
    const { verdict } = await verdictAfter((raw) => {
      raw.prepare(`update audit set record = replace(record, '"deny"', '"approve"') where seq = 4`).run();
    });
    expect(verdict).toMatchObject({ ok: false, problem: 'edited', at: 4 });
  });

  it('[LOG1.2] a removed record is detected', async () => {
    const { verdict } = await verdictAfter((raw) => raw.exec('delete from audit where seq = 2'));
    expect(verdict).toMatchObject({ ok: false, problem: 'removed', at: 2 });
  });

  it('[LOG1.2] reordered records are detected', async () => {
    const { verdict } = await verdictAfter((raw) => {
      raw.exec('update audit set seq = 90 where seq = 2; update audit set seq = 2 where seq = 3');
      raw.exec('update audit set seq = 3 where seq = 90');
    });
    expect(verdict).toMatchObject({ ok: false });
  });

  it('[LOG1.2] truncation is detected by the external head, even if the database is consistent', async () => {
    const { verdict, again } = await verdictAfter((raw) => {
      raw.exec('delete from audit where seq = 5');
      raw.exec('update worlds set audit_seq = 4, audit_hash = (select hash from audit where seq = 4)');
    });
    expect(verdict).toMatchObject({ ok: false, problem: 'cut-off' });
    // New records don't repair it.
    await propose(again, remove('c'));
    expect(await again.world.verifyAudit()).toMatchObject({ ok: false });
  });

  it('[LOG1] an external head that was reset to an earlier one does not hide a truncation', async () => {
    const { verdict } = await verdictAfter(async (raw, file) => {
      raw.exec('delete from audit where seq = 5');
      const text = await readFile(`${file}.audit-head`, 'utf8');
      const [row] = raw.prepare('select seq, hash from audit order by seq desc limit 1').all();
      const heads = JSON.parse(text) as Record<string, unknown>;
      await writeFile(
        `${file}.audit-head`,
        JSON.stringify(Object.fromEntries(Object.keys(heads).map((id) => [id, row]))),
      );
    });
    expect(verdict).toMatchObject({ ok: false, problem: 'cut-off' });
  });

  it('[CALL7.2] [LOG1] an approval forged in the database does not run: its hash is checked at the start', async () => {
    const file = inFolder('forged.db');
    const { runs, tool: removing } = recorder();
    const t = await openTestWorld({ script: obedient, tools: [removing], file });
    await propose(t, remove('a'));
    const approval = await t.onlyApproval();
    await closeTestWorld(t);
    const raw = openRaw(file);
    raw.prepare(`update invocations set arguments = '{"path":"/"}' where id = ?`).run(approval.toolCallId);
    raw.close();
    const again = await openTestWorld({ script: obedient, tools: [removing], file });
    await again.world.decide(approval, { decision: 'approve' });
    const chat = await again.world.chat(t.chat.id);
    expect(await chat.settled()).toBe('waiting');
    expect(runs).toEqual([]);
    expect((await again.onlyApproval()).arguments).toEqual({ path: '/' });
  });

  it('[LOG1.2] the log outlives its world', async () => {
    const file = inFolder('gone.db');
    const t = await openTestWorld({ script: obedient, tools: [recorder().tool], file });
    await propose(t, remove('a'));
    await t.world.delete();
    const records = await t.world.audit();
    expect(records.map(({ kind }) => kind)).toContain('request');
    expect(records.at(-1)).toMatchObject({ decision: 'world deleted', who: PROGRAM });
    expect(await t.world.verifyAudit()).toEqual({ ok: true, records: records.length });
  });
});
