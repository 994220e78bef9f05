import { expect, it } from 'vitest';
import { A, addChats, approval, B, C, grant, invocation, step, turn, W, write } from './samples.js';
import { freshStore, type OpenStore } from './under-test.js';

/** Chat reads outside steps: turns, calls, approvals and grants, and the order of each list. */
export function describeLists(open: OpenStore): void {
  const { store } = freshStore(open);
  const ids = (records: readonly { id: string }[]): string[] => records.map(({ id }) => id);

  it('unfinished turns are listed oldest first, for a chat or for the whole store', async () => {
    await addChats(store(), 'chat_2');
    await step(
      store(),
      (tx) => {
        tx.insertTurn(turn('turn_1', { state: 'waiting' }));
        tx.insertTurn(turn('turn_3', { state: 'queued', triggerSeq: 3 }));
        tx.insertTurn(turn('turn_4', { state: 'queued', triggerSeq: 2 }));
        tx.insertTurn(turn('turn_5', { agentId: B }));
        tx.insertTurn(turn('turn_6', { chatId: 'chat_2' }));
        tx.insertTurn(turn('turn_7', { state: 'ended' }));
      },
      { chats: [C, 'chat_2'] },
    );
    await store().read(async (r) => {
      expect(ids(await r.unfinishedTurns(C))).toEqual(['turn_1', 'turn_5', 'turn_4', 'turn_3']);
      expect(ids(await r.unfinishedTurns())).toHaveLength(5);
    });
  });

  it('ended turns are listed newest first between two messages', async () => {
    await step(store(), (tx) => {
      for (let seq = 1; seq <= 6; seq += 1) {
        tx.insertTurn(turn(`turn_${seq}`, { triggerSeq: seq, state: seq === 6 ? 'open' : 'ended' }));
      }
    });
    await store().read(async (r) => {
      expect(ids(await r.endedTurns(C, A, { after: 1, before: 5, limit: 9 }))).toEqual(['turn_4', 'turn_3', 'turn_2']);
      expect(ids(await r.endedTurns(C, A, { after: 0, before: 9, limit: 2 }))).toEqual(['turn_5', 'turn_4']);
      expect(await r.endedTurns(C, B, { after: 0, before: 9, limit: 2 })).toEqual([]);
    });
  });

  it('the calls of one response are listed in call order', async () => {
    await step(store(), (tx) => {
      tx.insertInvocation(invocation('call_b', { position: 1 }));
      tx.insertInvocation(invocation('call_a', { position: 2 }));
      tx.insertInvocation(invocation('call_c', { position: 0 }));
      tx.insertInvocation(invocation('call_d', { iteration: 2 }));
    });
    expect(ids(await store().read((r) => r.invocations('turn_1', 1)))).toEqual(['call_c', 'call_b', 'call_a']);
  });

  it('[CALL12] the queue lists the pending approvals of a world or a chat, oldest first', async () => {
    await addChats(store(), 'chat_2');
    await step(
      store(),
      (tx) => {
        tx.insertApproval(approval('approval_z', { expiresAt: 30 }));
        tx.insertApproval(approval('approval_y', { chatId: 'chat_2', expiresAt: 20 }));
        tx.insertApproval(approval('approval_x', { status: 'denied', expiresAt: 10 }));
        tx.insertApproval(approval('approval_w'));
      },
      { chats: [C, 'chat_2'] },
    );
    await store().read(async (r) => {
      expect(ids(await r.approvals(W, { status: 'pending' }))).toEqual(['approval_z', 'approval_y', 'approval_w']);
      expect(ids(await r.approvals(W, { status: 'pending', chatId: C }))).toEqual(['approval_z', 'approval_w']);
      expect(ids(await r.approvals(W, { chatId: C }))).toEqual(['approval_z', 'approval_x', 'approval_w']);
      expect(ids(await r.approvals(W, { status: 'denied' }))).toEqual(['approval_x']);
      expect(await r.approvals(W, {})).toHaveLength(4);
      expect(await r.approvals('elsewhere', { status: 'pending' })).toEqual([]);
      expect(await r.approvals('elsewhere', { chatId: C })).toEqual([]);
      expect(ids(await r.expiringApprovals())).toEqual(['approval_y', 'approval_z']);
      expect(await r.countPendingOf(W, { most: 9 })).toBe(3);
      expect(await r.countPendingOf(W, { most: 2 })).toBe(2);
      expect(await r.countPendingOf(W, { upTo: 'approval_z', most: 9 })).toBe(1);
      expect(await r.countPendingOf(W, { upTo: 'approval_y', most: 9 })).toBe(2);
      expect(await r.countPendingOf(W, { upTo: 'approval_w', most: 9 })).toBe(3);
      expect(await r.countPendingOf('elsewhere', { most: 9 })).toBe(0);
      expect(await r.countPendingApprovals()).toBe(3);
      expect(ids(await r.pendingEverywhere())).toEqual(['approval_z', 'approval_y', 'approval_w']);
      expect(await r.pendingEverywhere('approval_y')).toEqual([{ id: 'approval_w', worldId: W }]);
    });
    const marks = async () => await store().read((r) => r.queueMarks());
    const before = await marks();
    expect(before.map(({ worldId }) => worldId)).toEqual([W]);
    await step(store(), (tx) => tx.insertApproval(approval('approval_v')), { chats: [C] });
    expect(await marks()).not.toEqual(before);
  });

  it('[CALL14] a grant is listed until it is revoked, and can be revoked only once', async () => {
    await step(store(), (tx) => {
      tx.giveGrant(grant('grant_2', { pattern: 'ls *' }), '');
      tx.giveGrant(grant('grant_1'), '');
      tx.giveGrant(grant('grant_3', { agentId: B }), '');
    });
    expect(await write(store(), (tx) => tx.revokeGrant(W, 'grant_1'))).toBe(true);
    expect(await write(store(), (tx) => tx.revokeGrant(W, 'grant_1'))).toBe(false);
    expect(ids(await store().read((r) => r.grantsOfWorld(W)))).toEqual(['grant_2', 'grant_3']);
  });
}
