import {
  announceSigners,
  listApprovals,
  listMessages,
  publishMessage,
  decideCall,
  turnTimeline,
  updateWorld,
} from '@countersign/core';
import { SERVER_LOG, type Store } from '@countersign/core/ports';
import { createFakeClock } from '@countersign/core/testing';
import { describeNeed, describeReason } from '@countersign/protocol';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deferred, gated } from './testing/fixture.js';
import { changePerson, openSigningWorld, signedBy, who, type SigningWorld } from './testing/signers.js';
import { person } from './testing/test-engine.js';

const HOUR = 3_600_000;

/** Ada delegates to Dan, who isn't in `finance`. */
async function delegate(store: Store, until = HOUR, after = 0): Promise<() => Promise<void>> {
  const change = async (work: Parameters<Store['transact']>[1]) => {
    await store.transact(SERVER_LOG, async (tx) => {
      await tx.lockServerLog();
      await work(tx);
    });
  };
  await change(async (tx) => {
    const now = tx.now();
    const times = { createdAt: now, usedAt: null, expiresAt: now + until, endedAt: null };
    const about = { personId: 'ada', kind: 'delegation', name: 'dan', hash: '', parentId: null } as const;
    await tx.insertCredential({ id: 'd1', ...about, ...times, data: { delegation: { to: 'dan', from: now + after } } });
  });
  return async () => await change((tx) => tx.endCredential('d1'));
}

async function open(policy: readonly string[], options: Parameters<typeof openSigningWorld>[1] = {}) {
  const t = await openSigningWorld(policy, options);
  onTestFinished(() => t.engine.close());
  return t;
}

const said = async (t: SigningWorld): Promise<string[]> => ((await t.approval()).needs ?? []).map(describeNeed);
const ada = { id: 'ada', name: 'Ada' };

describe('[SIGN4] someone who covers for another person', () => {
  it('[SIGN4.1] [SIGN4.5] signs for them, once, and every record says for whom', async () => {
    const t = await open(['ask pay by 2 of @finance']);
    await delegate(t.engine.runtime.store);
    await t.request(who('carol'));
    const { approvalId } = await t.approval();
    expect(await t.sign(signedBy('dan'))).toMatchObject({ state: 'asked' });
    expect(await t.sign(signedBy('dan', 'phone'))).toMatchObject({ kind: 'repeated' });
    expect(await said(t)).toEqual(['Needs 2 of Finance · signed by Dan, for Ada, 1 more']);
    const refused = await t.sign(signedBy('ada'));
    expect(refused).toMatchObject({ kind: 'refused', status: 403 });
    expect(refused.kind === 'refused' && refused.detail).toContain('signed by Dan, for Ada, 1 more. Ask Bob or Carol');
    expect(await t.sign(signedBy('bob'))).toMatchObject({ state: 'approved' });
    await t.settled();
    expect(t.runs).toHaveLength(1);
    const { runtime } = t.engine;
    const records = await runtime.store.read((reader) => reader.audit(t.worldId, { after: 0, limit: 100 }));
    expect(records.filter(({ kind }) => kind === 'sign' || kind === 'decision')).toMatchObject([
      { kind: 'sign', who: who('dan'), for: ada },
      { kind: 'decision', who: who('bob') },
    ]);
    const messages = await listMessages(runtime, t.chatId);
    const answers = messages.filter(({ tool_call_id: id }) => id === approvalId).map(({ content }) => content);
    expect(answers.map((content): unknown => JSON.parse(content)).at(-1)).toMatchObject({
      needs: [{ signed: [{ ...who('dan'), for: ada }, who('bob')] }],
    });
    expect(await runtime.store.verifyAudit(t.worldId)).toMatchObject({ ok: true });
  });

  it('[SIGN4.7] open cards hear when a delegation starts, and when it ends', async () => {
    const clock = createFakeClock();
    const t = await open(['ask pay by @ada'], { clock });
    await t.request(who('carol'));
    const { approvalId } = await t.approval();
    let told = 0;
    t.engine.runtime.bus.subscribe(t.worldId, ({ event, data }) => {
      if (event === 'crud' && data.entity === 'approval' && data.id === approvalId) told += 1;
    });
    const canSign = async () => ((await t.approval()).needs ?? []).flatMap(({ mayIds = [] }) => mayIds);
    await delegate(t.engine.runtime.store, 3 * HOUR, HOUR);
    await announceSigners(t.engine.runtime);
    expect({ told, ids: await canSign() }).toEqual({ told: 1, ids: ['ada'] });
    clock.advance(HOUR);
    await expect.poll(() => told).toBe(2);
    expect(await canSign()).toEqual(['ada', 'dan']);
    clock.advance(2 * HOUR);
    // The timer may only be set now, for a time that has just passed.
    await expect.poll(() => (clock.advance(0), told)).toBe(3);
    expect(await canSign()).toEqual(['ada']);
  });

  it('[SIGN4.5] the last signature is recorded with the person it was given for', async () => {
    const t = await open(['ask pay by @ada']);
    await delegate(t.engine.runtime.store);
    await t.request(who('carol'));
    const { turnId } = await t.approval();
    expect(await t.sign(signedBy('dan'))).toMatchObject({ state: 'approved' });
    await t.settled();
    const { spans } = await turnTimeline(t.engine.runtime, t.worldId, t.chatId, turnId);
    expect(spans.find(({ kind }) => kind === 'waiting')).toMatchObject({ signers: [{ ...who('dan'), for: ada }] });
    expect(t.runs).toHaveLength(1);
    const { store } = t.engine.runtime;
    const records = await store.read((reader) => reader.audit(t.worldId, { after: 0, limit: 100 }));
    expect(records.find(({ kind }) => kind === 'decision')).toMatchObject({ who: who('dan'), for: ada });
  });

  it.each<[string, (t: SigningWorld, end: () => Promise<void>) => Promise<void>]>([
    ['it is ended', (_, end) => end()],
    ['the person is disabled', (t) => changePerson(t.engine.runtime.store, 'ada', { status: 'disabled' })],
    ['the delegate is disabled', (t) => changePerson(t.engine.runtime.store, 'dan', { status: 'disabled' })],
    ['the delegate loses the role', (t) => changePerson(t.engine.runtime.store, 'dan', { role: 'member' })],
  ])('[SIGN4.2] [SIGN1.4] can’t once %s, and what they signed stops counting', async (_, change) => {
    const t = await open(['ask pay by 2 of @finance']);
    const end = await delegate(t.engine.runtime.store);
    await t.request(who('carol'));
    await t.sign(signedBy('dan'));
    await change(t, end);
    expect(await said(t)).toEqual(['Needs 2 of Finance']);
    expect(await t.sign(signedBy('dan'))).toMatchObject({ status: 403 });
    expect(await t.sign(signedBy('bob'))).toMatchObject({ state: 'asked' });
    expect(t.runs).toEqual([]);
  });
});

describe('[SIGN4.2] [SIGN1.4] [CALL2.1] a signature that stops counting after the approval and before the start', () => {
  it.each<[string, string, (t: SigningWorld, end: () => Promise<void>) => Promise<void>]>([
    ['a delegation was ended', 'dan', (_, end) => end()],
    ['the signer was disabled', 'bob', (t) => changePerson(t.engine.runtime.store, 'bob', { status: 'disabled' })],
  ])('%s: the call needs approval again', async (_, signer, change) => {
    const running = deferred();
    const runs: unknown[] = [];
    const pay = gated('pay', async ({ amount }) => {
      runs.push(amount);
      if (amount === 1) await running.promise;
    });
    const t = await open(['ask pay(amount=1)', 'ask pay(amount=2) by @finance'], { tools: [pay] });
    const { runtime } = t.engine;
    const { worldId, chatId } = t;
    const end = await delegate(runtime.store);
    // The first call runs while the second one is approved and waits for its turn.
    await updateWorld(runtime, worldId, { maxParallelTools: 1 }, person);
    const content = JSON.stringify([1, 2].map((amount) => ({ name: 'pay', arguments: { amount } })));
    await publishMessage(runtime, { worldId, chatId, speaker: 'human', content, who: who('carol') });
    await t.settled();
    for (const { approvalId } of await listApprovals(runtime, worldId, { status: 'pending' })) {
      const decision = { tool_call_id: approvalId, decision: 'approve' } as const;
      expect(await decideCall(runtime, worldId, undefined, decision, signedBy(signer))).toMatchObject({
        state: 'approved',
      });
    }
    await change(t, end);
    running.resolve();
    await t.settled();
    expect(runs).toEqual([1]);
    const { reason } = await t.approval();
    expect(describeReason(reason)).toMatch(/^a signature no longer counts, because its author may no longer sign; /);
    expect(await said(t)).toEqual(['Needs 1 of Finance']);
    expect(await t.sign(signedBy('ada'))).toMatchObject({ state: 'approved' });
    await t.settled();
    expect(runs).toEqual([1, 2]);
  });
});
