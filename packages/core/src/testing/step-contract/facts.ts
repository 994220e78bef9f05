import { expect, it } from 'vitest';
import type { Store } from '../../ports/index.js';
import {
  A,
  agent,
  approval,
  C,
  chat,
  grant,
  HOSTILE,
  invocation,
  message,
  turn,
  W,
} from '../store-contract/samples.js';
import { freshStore, type OpenStore } from '../store-contract/under-test.js';
import { callKeys, stateOf, step } from './support.js';

/** Reads, the next step and a reopened store all see what a step wrote. */
export function describeFacts(open: OpenStore, canOutlive: boolean): void {
  const { store, reopen } = freshStore(open);

  /** The store to read from. Reopened if possible; its state must then equal the one in memory. */
  async function afterwards(...chats: string[]): Promise<Store> {
    const kept = await Promise.all([C, ...chats].map((id) => stateOf(store(), id)));
    if (!canOutlive) return store();
    const again = await reopen();
    expect(await Promise.all([C, ...chats].map((id) => stateOf(again, id)))).toStrictEqual(kept);
    return again;
  }

  it('[STORE1] messages get positions, and the chat tracks its last message and the last one from a person', async () => {
    const full = message('msg_1', {
      content: HOSTILE,
      sender: HOSTILE,
      agentId: A,
      turnId: 'turn_1',
      iteration: 2,
      replyTo: 'msg_0',
      toolCalls: [{ id: 'call_1', type: 'function', function: { name: 'shell_cmd', arguments: HOSTILE } }],
      toolCallId: 'call_0',
      addressees: [A],
      providerState: {
        provider: 'scripted',
        model: 'echo',
        usage: { inputTokens: 1, outputTokens: 2 },
        state: { text: HOSTILE },
        vendorIds: ['v'],
      },
      clientMessageId: 'client_1',
      secrets: [HOSTILE],
    });
    const written = await step(store(), (tx) => [
      tx.appendMessage(full),
      tx.appendMessage(message('msg_2', { speaker: 'agent' })),
    ]);
    expect(written).toMatchObject([{ seq: 1 }, { seq: 2 }]);
    const after = await afterwards();
    expect(await after.read((r) => r.messages(C, { after: 0, limit: 9 }))).toStrictEqual(written);
    expect(await after.read((r) => r.chat(C))).toMatchObject({ lastSeq: 2, humanSeq: 1 });
  });

  it('[STORE1] a turn can be queued and changed in one step, and changed again in later ones', async () => {
    const first = turn('turn_1', { owner: 'me', triggerSeq: 1 });
    await step(store(), (tx) => {
      tx.insertTurn(turn('turn_2', { state: 'queued', triggerSeq: 2 }));
      tx.insertTurn(first);
      tx.stepTurn(first, { begunSeq: 1, iteration: 1 });
      tx.fenceTurn('turn_1', { inputTokens: 3, owner: null });
    });
    const changed = { ...first, begunSeq: 1, iteration: 1, inputTokens: 3, owner: null, epoch: 2 };
    expect((await stateOf(store()))?.turns.get('turn_1')).toStrictEqual(changed);
    const all = {
      state: 'waiting',
      outcome: 'failed',
      iteration: 4,
      owner: HOSTILE,
      interruptions: 5,
      begunSeq: 6,
      inputTokens: 7,
      outputTokens: 8,
      microdollars: 9,
      endedAt: 9,
    } as const;
    expect(await step(store(), (tx) => tx.stepTurn(changed, all))).toBe(true);
    expect(await step(store(), (tx) => tx.stepTurn(first, { owner: 'late' }))).toBe(false);
    const after = await afterwards();
    expect(await after.read((r) => r.turn('turn_1'))).toStrictEqual({ ...changed, ...all });
    expect(await after.read((r) => r.turn('turn_2'))).toMatchObject({ state: 'queued' });
  });

  it('[WORLD11] one turn of an agent can end and another open in the same step', async () => {
    await step(store(), (tx) => tx.insertTurn(turn('turn_1')));
    await step(store(), (tx) => {
      tx.insertTurn(turn('turn_2', { state: 'queued', triggerSeq: 2 }));
      tx.stepTurn({ chatId: C, id: 'turn_1', epoch: 1 }, { state: 'ended', outcome: 'answered', endedAt: 5 });
      tx.stepTurn({ chatId: C, id: 'turn_2', epoch: 1 }, { state: 'open', begunSeq: 2 });
    });
    const again = turn('turn_3', { triggerSeq: 3 });
    await expect(step(store(), (tx) => tx.insertTurn(again))).rejects.toMatchObject({ code: 'conflict' });
    const after = await afterwards();
    expect([...((await stateOf(after))?.turns.keys() ?? [])]).toEqual(['turn_2']);
    expect(await after.read((r) => r.turn('turn_1'))).toMatchObject({ state: 'ended', outcome: 'answered' });
  });

  it('[STORE1] calls of the latest response can be proposed and changed in one step, and changed again in later ones', async () => {
    const call = invocation('call_1', { arguments: HOSTILE, readOnly: true, idempotent: true });
    await step(store(), (tx) => {
      tx.insertTurn(turn('turn_1', { iteration: 1 }));
      tx.insertInvocation(call);
      tx.insertInvocation(invocation('call_2', { position: 1 }));
      tx.changeInvocation('call_1', 'asked', { status: 'approved', approvalId: 'approval_1' });
      tx.changeInvocation('call_1', 'approved', { status: 'started', startedEpoch: 1, startedAt: 2 });
    });
    expect(await step(store(), (tx) => tx.changeInvocation('call_1', 'asked', { status: 'denied' }))).toBe(false);
    const all = {
      status: 'failed',
      arguments: `${HOSTILE}2`,
      editedBy: HOSTILE,
      callHash: 'hash',
      approvalId: null,
      startedEpoch: 3,
      result: HOSTILE,
      outcomeUnknown: true,
      startedAt: 4,
      settledAt: 5,
    } as const;
    expect(await step(store(), (tx) => tx.changeInvocation('call_1', 'started', all))).toBe(true);
    const after = await afterwards();
    expect(await after.read((r) => r.invocation('call_1'))).toStrictEqual({ ...call, ...all });
    const left = await step(after, (tx) => tx.openCalls({ id: 'turn_1', chatId: C }));
    expect(left.map(({ id }) => id)).toEqual(['call_2']);
  });

  it('[STORE1] the state has only the calls of the latest response', async () => {
    const first = turn('turn_1', { iteration: 1 });
    await step(store(), (tx) => {
      tx.insertTurn(first);
      tx.insertInvocation(invocation('call_1', { status: 'succeeded', settledAt: 2 }));
    });
    await step(store(), (tx) => {
      tx.stepTurn(first, { iteration: 2 });
      tx.insertInvocation(invocation('call_2', { iteration: 2 }));
    });
    const after = await afterwards();
    expect([...((await stateOf(after))?.calls.keys() ?? [])]).toEqual(['call_2']);
    expect(await after.read((r) => r.invocations('turn_1', 1))).toHaveLength(1);
  });

  it('[CALL8] [CALL12] approvals are pending, oldest first, until they are settled', async () => {
    const rich = approval('approval_z', {
      message: HOSTILE,
      rule: 'ask *',
      proposedRule: 'allow ls',
      preview: { text: HOSTILE, truncated: true },
      rehearsal: { noEffect: { reason: 'network' } },
      claimed: null,
      applies: 'call',
      question: { text: 'Which?', choices: ['a', HOSTILE], raisedBy: 'tool' },
      expiresAt: 9,
    });
    await step(store(), (tx) => {
      for (const one of [rich, approval('approval_y'), approval('approval_x')]) tx.insertApproval(one);
    });
    const verdict = {
      status: 'denied',
      decision: 'deny',
      scope: 'once',
      reason: HOSTILE,
      decisionDigest: 'digest',
      decidedBy: 'me',
    } as const;
    expect(await step(store(), (tx) => tx.settleApproval('approval_y', verdict))).toBe(true);
    expect(await step(store(), (tx) => tx.settleApproval('approval_y', verdict))).toBe(false);
    const after = await afterwards();
    expect(await step(after, (tx) => tx.pendingApprovals(C))).toStrictEqual([rich, approval('approval_x')]);
    expect(await after.read((r) => r.approval('approval_y'))).toMatchObject({
      ...verdict,
      decidedAt: expect.any(Number) as number,
    });
  });

  it('[SIGN1] signatures are stored with their pending approval', async () => {
    const rules = [{ rule: HOSTILE, by: { count: 2, of: 'finance', notRequester: true as const } }];
    const signature = { who: { kind: 'person' as const, id: 'ada', name: HOSTILE }, via: HOSTILE, at: 7 };
    const asked = approval('approval_1', { signing: { rules, signed: [] } });
    await step(store(), (tx) => tx.insertApproval(asked));
    const signing = { rules, signed: [signature] };
    await step(store(), (tx) => tx.signApproval('approval_1', signing));
    await step(store(), (tx) => {
      tx.insertApproval(approval('approval_2', { signing: { rules, signed: [] } }));
      tx.signApproval('approval_2', signing);
    });
    const after = await afterwards();
    const both = [
      { ...asked, signing },
      { ...asked, id: 'approval_2', signing },
    ];
    expect(await step(after, (tx) => tx.pendingApprovals(C))).toStrictEqual(both);
    expect(await after.read((r) => r.approvals(W, { status: 'pending' }))).toStrictEqual(both);
  });

  it('[CALL5] [STORE3] [WORLD17.3] grants and unknown outcomes are stored, and a branch begins with the outcomes only', async () => {
    await step(store(), (tx) => {
      tx.giveGrant(grant('grant_1', { pattern: HOSTILE }), '^ls');
      tx.insertTurn(turn('turn_1', { iteration: 1 }));
      tx.insertInvocation(invocation('call_1', { arguments: HOSTILE, status: 'failed', settledAt: 1 }));
    });
    await step(store(), (tx) => {
      tx.changeInvocation('call_1', 'failed', { status: 'failed', outcomeUnknown: true });
      tx.useGrant(C, 'grant_1');
    });
    const used = await store().read((r) => r.grant('grant_1'));
    expect(used).toStrictEqual(grant('grant_1', { pattern: HOSTILE, lastUsedAt: used?.lastUsedAt ?? 0 }));
    expect(used?.lastUsedAt).toBeGreaterThan(1_000);
    const unknown = () => step(store(), (tx) => tx.outcomeUnknown(callKeys(HOSTILE)), { calls: [callKeys(HOSTILE)] });
    expect(await unknown()).toBe(true);
    const parts = JSON.stringify([{ chatId: C, upto: 1 }]);
    const begun = {
      title: 'B',
      titled: true,
      status: 'idle',
      lastSeq: 1,
      humanSeq: 1,
      branches: 0,
      filed: null,
      session: null,
      createdAt: 7,
    } as const;
    await step(store(), (tx) => tx.createChat({ id: 'chat_b', worldId: W, root: C, parts, ...begun }));
    const inBranch = callKeys(HOSTILE, ['', ''], 'chat_b');
    const carried = () =>
      step(store(), (tx) => [tx.outcomeUnknown(inBranch), tx.grants(inBranch, 0)], {
        chats: ['chat_b'],
        calls: [inBranch],
      });
    expect(await carried()).toEqual([true, []]);
    // The state may be cached now.
    expect(await carried()).toEqual([true, []]);
    expect((await store().read((r) => r.branches(C, 9))).map(({ id }) => id)).toEqual(['chat_b']);
    await step(store(), (tx) => tx.acceptOutcome({ chatId: C, toolName: 'shell_cmd', arguments: HOSTILE }));
    expect(await unknown()).toBe(false);
  });

  it('[WORLD7] a chat is created and gets a message and a title; the policy is replaced and an agent added', async () => {
    const created = chat('chat_2', { createdAt: 7 });
    await step(store(), (tx) => {
      tx.createChat(created);
      tx.appendMessage(message('msg_1', { chatId: 'chat_2' }));
      tx.insertTurn(turn('turn_1', { chatId: 'chat_2' }));
      tx.changeChat('chat_2', { status: 'working' });
    });
    const [before] = await store().read((r) => r.worlds());
    await step(
      store(),
      (tx) => {
        tx.changeChat('chat_2', { title: HOSTILE, titled: true });
        tx.setPolicy(['deny *', HOSTILE]);
        tx.addAgent({ worldId: W, id: 'carl', definition: agent, makers: ['ada', 'bob'], createdAt: tx.now() });
      },
      { chats: [C, 'chat_2'] },
    );
    const after = await afterwards('chat_2');
    const known = { ...created, title: HOSTILE, titled: true, status: 'working', lastSeq: 1, humanSeq: 1 };
    expect(await after.read((r) => r.chat('chat_2'))).toStrictEqual(known);
    expect((await stateOf(after, 'chat_2'))?.chat).toStrictEqual(known);
    expect(await after.read((r) => r.world(W))).toMatchObject({ policy: ['deny *', HOSTILE] });
    expect(await after.read((r) => r.worldRev(W))).toBeGreaterThan(before?.rev ?? 99);
    const agents = await after.read((r) => r.agents(W));
    expect(agents.find(({ id }) => id === 'carl')).toMatchObject({ makers: ['ada', 'bob'] });
    expect(agents[0]?.makers).toEqual([]);
    expect(await step(after, (tx) => tx.countWorking())).toBe(1);
  });
}
