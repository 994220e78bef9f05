import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  addAgent,
  addMcpServer,
  createWorld,
  deleteWorld,
  listApprovals,
  listMessages,
  publishMessage,
  decideCall,
  setPolicy,
  showApproval,
  toWorldEvent,
  updateWorld,
  type Engine,
} from '@countersign/core';
import { createFakeClock, MAY_ALL } from '@countersign/core/testing';
import { describeNeed, type Who } from '@countersign/protocol';
import { openSqlite } from '@countersign/storage';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { deferred, gated } from './testing/fixture.js';
import { addPeople, changePerson, openSigningWorld, signedBy, who, type SigningWorld } from './testing/signers.js';
import { recorder } from './testing/obedient.js';
import { createTestEngine, person } from './testing/test-engine.js';
import { createWorldHandle } from './world/world.js';

const RULE = 'ask pay(amount > 100) by 2 of @finance';
const opened: Engine[] = [];

afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close();
});

async function open(...policy: string[]): Promise<SigningWorld> {
  const t = await openSigningWorld(policy);
  opened.push(t.engine);
  return t;
}

const audited = async ({ engine, worldId }: SigningWorld) =>
  await engine.runtime.store.read((reader) => reader.audit(worldId, { after: 0, limit: 1000 }));

const said = async (t: SigningWorld): Promise<string[]> => ((await t.approval()).needs ?? []).map(describeNeed);

describe('a call that needs two people', () => {
  it('[SIGN1.3] [LOG1] [TURN2] [HTTP8.3] runs once after the second of them, and records and shows each signature', async () => {
    const t = await open('allow pay', RULE);
    await t.request(who('dan'));
    const { callHash, approvalId, options } = await t.approval();
    expect(options).toEqual(['deny', 'approve_once']);
    expect(await said(t)).toEqual(['Needs 2 of Finance']);

    expect(await t.sign(signedBy('ada', 'Chrome on Linux'), { callHash, reason: 'seen' })).toMatchObject({
      kind: 'recorded',
      status: 200,
      state: 'asked',
    });
    expect(await said(t)).toEqual(['Needs 2 of Finance · signed by Ada, 1 more']);
    expect((await t.approval()).needs).toMatchObject([{ may: ['Bob', 'Carol'], rule: RULE }]);
    expect(t.runs).toEqual([]);
    // Clients that only stream approvals (HTTP8.3) see that there is a new signature.
    const events = await t.engine.runtime.store.read((reader) => reader.events(t.worldId, { after: 0, limit: 1000 }));
    expect(events.map(toWorldEvent)).toContainEqual(
      expect.objectContaining({ event: 'crud', data: { operation: 'update', entity: 'approval', id: approvalId } }),
    );

    expect(await t.sign(signedBy('bob'), { callHash })).toMatchObject({ kind: 'recorded', state: 'approved' });
    await t.settled();
    expect(t.runs).toEqual([{ amount: 500 }]);
    expect(await listApprovals(t.engine.runtime, t.worldId, { status: 'pending' })).toEqual([]);

    const records = (await audited(t)).filter(({ kind }) => kind === 'sign' || kind === 'decision');
    expect(records).toMatchObject([
      { kind: 'sign', who: who('ada'), via: 'Chrome on Linux', tool: 'pay', rule: RULE, why: 'seen', scope: 'once' },
      { kind: 'decision', decision: 'approve', who: who('bob'), via: 'test', rule: RULE },
    ]);
    const messages = await listMessages(t.engine.runtime, t.chatId);
    const answers = messages.filter(({ tool_call_id: id }) => id === approvalId).map(({ content }) => content);
    expect(answers.map((content): unknown => JSON.parse(content))).toMatchObject([
      { signed: true, via: 'Chrome on Linux', needs: [{ signed: [who('ada')] }] },
      { decision: 'approve', needs: [{ signed: [who('ada'), who('bob')] }] },
    ]);
    expect(await t.engine.runtime.store.verifyAudit(t.worldId)).toMatchObject({ ok: true });
  });

  it('[SIGN1.1] counts a person once, whatever the number of devices', async () => {
    const t = await open(RULE);
    await t.request(who('dan'));
    await t.sign(signedBy('ada', 'phone'));
    expect(await t.sign(signedBy('ada', 'laptop'))).toMatchObject({ kind: 'repeated', state: 'asked' });
    expect((await t.approval()).needs).toMatchObject([{ signed: [who('ada')] }]);
    expect((await audited(t)).filter(({ kind }) => kind === 'sign')).toHaveLength(1);
  });

  it.each<[string, Who]>([
    ['someone else', who('dan')],
    ['a stranger with an unknown id', who('eve')],
    ['an agent, even with a person’s id', { kind: 'agent', id: 'ada', name: 'Ada' }],
    ['a shared token', { kind: 'token', id: 'COUNTERSIGN_TOKEN', name: 'COUNTERSIGN_TOKEN' }],
  ])('[SIGN1.7] [SIGN1.1] [HTTP14] refuses %s with 403, says who may sign, and records it', async (_, signer) => {
    const t = await open(RULE);
    await t.request(who('dan'));
    await t.sign(signedBy('carol'));
    const outcome = await t.sign({ who: signer, via: 'test' });
    expect(outcome).toMatchObject({ kind: 'refused', status: 403, code: 'not-allowed', state: 'asked' });
    expect(outcome.kind === 'refused' && outcome.detail).toMatch(
      /Needs 2 of Finance · signed by Carol, 1 more\. Ask Ada or Bob$/,
    );
    expect((await audited(t)).at(-1)).toMatchObject({ kind: 'refusal', who: signer });
    expect(t.runs).toEqual([]);
  });

  it('[SIGN1.3] any denial ends it, even after a signature', async () => {
    const t = await open(RULE);
    await t.request(who('dan'));
    await t.sign(signedBy('ada'));
    expect(await t.sign(signedBy('dan'), { decision: 'deny' })).toMatchObject({ state: 'denied' });
    await t.settled();
    expect(t.runs).toEqual([]);
    expect(await listApprovals(t.engine.runtime, t.worldId, { status: 'pending' })).toEqual([]);
  });

  it('[SIGN1.2] [CALL5] offers no other scope, and can’t be edited', async () => {
    const t = await open('allow pay', RULE);
    await t.request(who('dan'));
    for (const more of [{ scope: 'session' }, { scope: 'always' }, { arguments: { amount: 1 } }] as const) {
      expect(await t.sign(signedBy('ada'), more)).toMatchObject({ kind: 'refused', status: 422, code: 'invalid' });
    }
    expect((await t.approval()).needs).toMatchObject([{ signed: [] }]);
  });

  it('[SIGN1.12] [CALL7.4] `not requester` excludes everyone who edited the call before the rule came', async () => {
    const t = await open();
    await t.request(who('dan'));
    await t.sign(signedBy('ada'), { arguments: { amount: 700 } });
    await t.sign(signedBy('bob'), { arguments: { amount: 800 } });
    await setPolicy(t.engine.runtime, t.worldId, ['ask pay by not requester'], person);
    // The next decision shows the call again, under the new rule.
    await t.sign(signedBy('carol'));
    for (const editor of ['ada', 'bob'])
      expect(await t.sign(signedBy(editor))).toMatchObject({ kind: 'refused', status: 403 });
    expect(t.runs).toEqual([]);
    expect(await t.sign(signedBy('carol'))).toMatchObject({ state: 'approved' });
    await t.settled();
    expect(t.runs).toEqual([{ amount: 800 }]);
  });

  it('[SIGN1.4] a signature stops counting if its author is disabled, leaves the group or loses the role', async () => {
    const t = await open(RULE);
    const { store } = t.engine.runtime;
    await t.request(who('dan'));
    await t.sign(signedBy('ada'));
    await changePerson(store, 'ada', { status: 'disabled' });
    expect(await said(t)).toEqual(['Needs 2 of Finance']);
    expect(await t.sign(signedBy('bob'))).toMatchObject({ state: 'asked' });
    await changePerson(store, 'bob', { role: 'member' });
    expect(await said(t)).toEqual(['Needs 2 of Finance · stuck: only one person may sign']);
    expect(await t.sign(signedBy('bob'))).toMatchObject({ status: 403 });
    // A role in this world is enough.
    await changePerson(store, 'bob', { worldRoles: { [t.worldId]: 'approver' } });
    expect(await t.sign(signedBy('carol'))).toMatchObject({ state: 'approved' });
    await t.settled();
    expect(t.runs).toHaveLength(1);
  });

  it('[SIGN1.4] someone who counts again completes the call with the next approval', async () => {
    const t = await open(RULE);
    const { store } = t.engine.runtime;
    await t.request(who('dan'));
    await t.sign(signedBy('ada'));
    await changePerson(store, 'ada', { status: 'disabled' });
    await t.sign(signedBy('bob'));
    await changePerson(store, 'ada', { status: 'active' });
    expect(await t.sign(signedBy('dan'))).toMatchObject({ status: 403 });
    expect(await t.sign(signedBy('ada'))).toMatchObject({ kind: 'recorded', state: 'approved' });
    await t.settled();
    expect(t.runs).toHaveLength(1);
  });
});

it('[SIGN1.3] [STORE3] a signature survives a process that is killed before the last one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-signers-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const clock = createFakeClock();
  const file = join(folder, 'store.db');
  const t = await openSigningWorld([RULE], { clock, store: await openSqlite(file, { clock }) });
  opened.push(t.engine);
  await t.request(who('dan'));
  await t.sign(signedBy('ada'));
  // The files that a process leaves when it is killed now.
  const left = join(folder, 'left.db');
  for (const end of ['', '-wal', '-steps', '.audit-head']) {
    if (existsSync(file + end)) copyFileSync(file + end, left + end);
  }
  const { runs, tool } = recorder('pay');
  const engine = await createTestEngine({ clock, store: await openSqlite(left, { clock }), tools: [tool] });
  opened.push(engine);
  await engine.start();
  const [approval] = await listApprovals(engine.runtime, t.worldId, { status: 'pending' });
  expect(approval?.needs?.map(describeNeed)).toEqual(['Needs 2 of Finance · signed by Ada, 1 more']);
  const sign = async (id: string) =>
    await decideCall(
      engine.runtime,
      t.worldId,
      undefined,
      { tool_call_id: approval?.approvalId ?? '', decision: 'approve' },
      signedBy(id),
    );
  expect(await sign('ada')).toMatchObject({ kind: 'repeated' });
  expect(await sign('bob')).toMatchObject({ state: 'approved' });
  await engine.quiet();
  expect(runs).toHaveLength(1);
  expect(await engine.runtime.store.verifyAudit(t.worldId)).toMatchObject({ ok: true });
});

describe('rules that change while a call waits', () => {
  it('[SIGN1.5] [CALL7] a new rule voids the approval, and the new one starts without signatures', async () => {
    const t = await open('ask pay');
    await t.request(who('dan'));
    const before = await t.approval();
    await setPolicy(t.engine.runtime, t.worldId, ['ask pay', RULE], person);
    const decision = { tool_call_id: before.approvalId, decision: 'approve' } as const;
    expect(await decideCall(t.engine.runtime, t.worldId, undefined, decision, signedBy('dan'))).toMatchObject({
      kind: 'refused',
      code: 'changed',
    });
    expect((await t.approval()).approvalId).not.toBe(before.approvalId);
    expect(await said(t)).toEqual(['Needs 2 of Finance']);
    await t.sign(signedBy('ada'));
    await setPolicy(t.engine.runtime, t.worldId, ['ask pay', RULE, 'ask pay by not requester'], person);
    expect(await t.sign(signedBy('bob'))).toMatchObject({ kind: 'refused', code: 'changed' });
    expect(await said(t)).toEqual(['Needs someone other than the requester', 'Needs 2 of Finance']);
    expect(t.runs).toEqual([]);
  });

  it('[SIGN1.5] [CALL2.1] a rule added after the approval and before the start applies', async () => {
    const running = deferred();
    const runs: unknown[] = [];
    const pay = gated('pay', async ({ amount }) => {
      runs.push(amount);
      if (amount === 1) await running.promise;
    });
    const t = await openSigningWorld(['ask pay'], { tools: [pay] });
    opened.push(t.engine);
    const { runtime } = t.engine;
    const { worldId, chatId } = t;
    // The first call runs while the second one is approved and waits for its turn.
    await updateWorld(runtime, worldId, { maxParallelTools: 1 }, person);
    const content = JSON.stringify([1, 2].map((amount) => ({ name: 'pay', arguments: { amount } })));
    await publishMessage(runtime, { worldId, chatId, speaker: 'human', content, who: who('dan') });
    await t.settled();
    for (const { approvalId } of await listApprovals(runtime, worldId, { status: 'pending' })) {
      const decision = { tool_call_id: approvalId, decision: 'approve' } as const;
      expect(await decideCall(runtime, worldId, undefined, decision, signedBy('dan'))).toMatchObject({
        state: 'approved',
      });
    }
    await setPolicy(runtime, worldId, ['ask pay(amount=2) by @finance'], person);
    running.resolve();
    await t.settled();
    expect(runs).toEqual([1]);
    expect(await said(t)).toEqual(['Needs 1 of Finance']);
    expect(await t.sign(signedBy('ada'))).toMatchObject({ state: 'approved' });
    await t.settled();
    expect(runs).toEqual([1, 2]);
  });

  it('[SIGN1.4] [CALL2.1] a call whose signer left after the approval and before the start needs approval again', async () => {
    const running = deferred();
    const runs: unknown[] = [];
    const pay = gated('pay', async ({ amount }) => {
      runs.push(amount);
      if (amount === 1) await running.promise;
    });
    const t = await openSigningWorld(['ask pay', 'ask pay(amount > 1) by 2 of @finance'], { tools: [pay] });
    opened.push(t.engine);
    const { runtime } = t.engine;
    const { worldId, chatId } = t;
    await updateWorld(runtime, worldId, { maxParallelTools: 1 }, person);
    const content = JSON.stringify([1, 2, 3].map((amount) => ({ name: 'pay', arguments: { amount } })));
    await publishMessage(runtime, { worldId, chatId, speaker: 'human', content, who: who('dan') });
    await t.settled();
    const sign = async (index: number, ...signers: string[]): Promise<void> => {
      const { approvalId } = asked[index] ?? (await t.approval());
      const decision = { tool_call_id: approvalId, decision: 'approve' } as const;
      for (const id of signers) await decideCall(runtime, worldId, undefined, decision, signedBy(id));
    };
    const asked = await listApprovals(runtime, worldId, { status: 'pending' });
    await sign(0, 'dan');
    // Ada is the first of two signers, or the last.
    await sign(1, 'ada', 'bob');
    await sign(2, 'bob', 'carol');
    await changePerson(runtime.store, 'ada', { status: 'disabled' });
    running.resolve();
    await t.settled();
    expect(runs).toEqual([1, 3]);
    expect(await said(t)).toEqual(['Needs 2 of Finance']);
    await sign(3, 'bob', 'carol');
    await t.settled();
    expect(runs).toEqual([1, 3, 2]);
  });

  it('[WHO8.6] [WHO8.5] [SIGN1.4] someone whom the OIDC provider refused, or has not confirmed for an hour, does not count', async () => {
    const t = await open(RULE);
    const { store, clock } = t.engine.runtime;
    const account = { issuer: 'https://id.example', subject: 'ada', groups: [] };
    const checked = (checkedAt: number) => changePerson(store, 'ada', { oidc: { ...account, checkedAt } });
    const minutes = 60_000;
    await checked(clock.now() - 59 * minutes);
    await t.request(who('dan'));
    await t.sign(signedBy('ada'));
    expect(await said(t)).toEqual(['Needs 2 of Finance · signed by Ada, 1 more']);
    // She can sign in again at any time, so the rule isn't stuck.
    await checked(clock.now() - 60 * minutes);
    expect((await t.approval()).needs).toMatchObject([{ signed: [], may: ['Ada', 'Bob', 'Carol'], eligible: 3 }]);
    expect(await t.sign(signedBy('bob'))).toMatchObject({ state: 'asked' });
    await checked(0);
    expect((await t.approval()).needs).toMatchObject([{ signed: [who('bob')], may: ['Carol'], eligible: 2 }]);
    expect(t.runs).toEqual([]);
    await checked(clock.now());
    expect(await t.sign(signedBy('ada'))).toMatchObject({ state: 'approved' });
    await t.settled();
    expect(t.runs).toHaveLength(1);
  });
});

describe('the requester', () => {
  it('[SIGN1.6] can’t sign their own request, and anyone else who may sign can', async () => {
    const t = await open('ask pay by not requester');
    await t.request(who('ada'));
    expect(await t.sign(signedBy('ada'))).toMatchObject({ kind: 'refused', status: 403 });
    expect(await t.sign(signedBy('dan'))).toMatchObject({ state: 'approved' });
    await t.settled();
    expect(t.runs).toHaveLength(1);
  });

  it.each<[string, Who | undefined]>([
    ['unknown', undefined],
    ['a shared token', { kind: 'token', id: 'COUNTERSIGN_TOKEN', name: 'COUNTERSIGN_TOKEN' }],
  ])('[SIGN1.6] if it is %s, nobody can sign, and the card says why', async (_, requester) => {
    const t = await open('ask pay by not requester');
    await t.request(requester);
    expect(await said(t)).toEqual([
      "Needs someone other than the requester · nobody can sign: the message came through a shared token, so the requester isn't known",
    ]);
    expect(await t.sign(signedBy('ada'))).toMatchObject({ kind: 'refused', status: 403 });
    expect(t.runs).toEqual([]);
  });
});

describe('a rule that nobody can satisfy', () => {
  it.each([
    ['ask pay by 4 of @finance', 'it needs 4 signatures, but only 3 people in @finance may sign calls in this world'],
    ['ask pay by @ghosts', 'there is no group @ghosts, and no person with this id who may sign calls in this world'],
    ['ask sandbox_network by @finance', 'sandbox_network is not a call, so nobody can sign it'],
    ['ask pay by agent @reviewer', 'there is no agent with the id @reviewer in this world'],
    [
      'ask pay by @finance with passkey',
      'it needs a signature with a passkey, but nobody in @finance has a trusted one',
    ],
    ['allow pay by @finance', 'only an ask rule can say who must sign'],
  ])('[SIGN1.8] is refused when it is written, and nothing changes: %s', async (rule, error) => {
    const t = await open('ask pay');
    const { runtime } = t.engine;
    const refused = { code: 'invalid', message: expect.stringContaining(error) as string };
    await expect(setPolicy(runtime, t.worldId, ['deny pay', rule], person)).rejects.toMatchObject(refused);
    await expect(createWorld(runtime, { name: 'Other', policy: [rule] }, person)).rejects.toMatchObject(refused);
    const agent = { name: 'Other', provider: 'scripted', model: 'm', policy: [rule] };
    await expect(addAgent(runtime, t.worldId, agent, person)).rejects.toMatchObject(refused);
    const worlds = await runtime.store.read((reader) => reader.worlds());
    expect(worlds.map(({ policy }) => policy)).toEqual([['ask pay']]);
  });

  it('[SIGN1.9] stays if it is already stored, and its calls show that they are stuck', async () => {
    const t = await open('ask pay by @finance');
    const { runtime } = t.engine;
    await runtime.store.transact('_server', async (tx) => {
      await tx.lockServerLog();
      await tx.deleteGroup('finance');
    });
    await setPolicy(runtime, t.worldId, ['ask pay by @finance', 'deny other'], person);
    await t.request(who('dan'));
    const { approvalId } = await t.approval();
    expect(await said(t)).toEqual(['Needs @finance · nobody can sign: there is no such group or person']);
    expect(await t.sign(signedBy('ada'))).toMatchObject({ status: 403 });
    await addPeople(runtime.store, [], { finance: ['dan'] });
    expect(await showApproval(runtime, t.worldId, approvalId)).toMatchObject({ needs: [{ may: ['Dan'] }] });
    expect(await t.sign(signedBy('dan'))).toMatchObject({ state: 'approved' });
  });

  it('[SIGN1.8] in the administrator’s file, a name that doesn’t exist keeps the server from starting', async () => {
    await expect(openSigningWorld([], { adminRules: ['deny x', 'ask pay by @ghosts'] })).rejects.toThrow(
      'adminRules, line 2: there is no group or person @ghosts',
    );
    const t = await openSigningWorld(['allow *'], { adminRules: ['ask pay by 9 of @finance'] });
    opened.push(t.engine);
    await t.request(who('dan'));
    expect(await said(t)).toEqual(['Needs 9 of Finance · stuck: only 3 people may sign']);
  });
});

describe('a rule with passkey', () => {
  const refused = { code: 'conflict', field: 'confirmation' };

  it('[SIGN2.8] [SIGN2.6] can be weakened by the program that uses the library, and by nobody else without a confirmation', async () => {
    const t = await open('ask pay');
    const { runtime } = t.engine;
    const { worldId } = t;
    const rule = 'ask pay with passkey';
    const restore = () => runtime.store.transact(worldId, (tx) => tx.updateWorld(worldId, { policy: [rule] }));
    const world = createWorldHandle(t.engine, { id: worldId, name: 'Bank' }, undefined);
    await restore();
    await expect(setPolicy(runtime, worldId, [], person)).rejects.toMatchObject(refused);
    await world.setPolicy([]);
    expect(await world.policy()).toEqual([]);
    await restore();
    await expect(updateWorld(runtime, worldId, { mode: 'auto' }, person)).rejects.toMatchObject(refused);
    await expect(deleteWorld(runtime, worldId, person)).rejects.toMatchObject(refused);
    expect((await world.policy()).length).toBe(1);
    await world.update({ mode: 'auto' });
    await world.delete();
    expect(await runtime.store.read((reader) => reader.worlds())).toEqual([]);
  });

  it('[SIGN2.6] in the administrator’s file protects every world from new MCP servers', async () => {
    const t = await openSigningWorld(['allow *'], { adminRules: ['ask pay with passkey'] });
    opened.push(t.engine);
    const server = { name: 'sh', transport: 'stdio', command: '/bin/true' } as const;
    await expect(addMcpServer(t.engine.runtime, t.worldId, server, person, MAY_ALL)).rejects.toMatchObject(refused);
    // It applies in all other worlds too.
    await deleteWorld(t.engine.runtime, t.worldId, person);
  });
});
