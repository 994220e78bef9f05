import { describe, expect, it } from 'vitest';
import { A, approval, B, C, client, grant, HOSTILE, invocation, message, say, turn, W, write } from './samples.js';
import { freshStore, type OpenStore } from './under-test.js';

/** What makes a step safe: all or nothing, fences, one winner. */
export function describeSteps(open: OpenStore): void {
  const { store } = freshStore(open);
  const ids = (records: readonly { id: string }[]): string[] => records.map(({ id }) => id);

  describe('a step', () => {
    it('[S1] is kept whole or not at all', async () => {
      await say(store(), 'msg_1');
      const failure = new Error('thought better of it');
      const failing = store().transact(W, async (tx) => {
        await tx.appendMessage(message('msg_2'));
        await tx.insertTurn(turn('turn_1'));
        await tx.updateWorld(W, { name: 'Desert' });
        tx.emit({ event: 'system', chatId: C, data: { type: 'notice', message: 'lost' } });
        tx.record({ kind: 'stop', why: 'lost' });
        throw failure;
      });
      await expect(failing).rejects.toBe(failure);
      await store().read(async (r) => {
        expect(await r.message('msg_2')).toBeUndefined();
        expect(await r.turn('turn_1')).toBeUndefined();
        expect(await r.world(W)).toMatchObject({ name: 'Garden', rev: 3 });
        expect(await r.events(W, { after: 0, limit: 10 })).toHaveLength(1);
        expect(await r.audit(W, { after: 0, limit: 10 })).toEqual([]);
      });
      expect((await say(store(), 'msg_3')).seq).toBe(2);
      expect(await store().read((r) => r.lastEventId(W))).toBe(2);
      await write(store(), async (tx) => tx.record({ kind: 'stop' }));
      expect(await store().verifyAudit(W)).toEqual({ ok: true, records: 1 });
    });

    it('[S1] is not kept when a statement failed, even if somebody caught the error', async () => {
      const stubborn = write(store(), async (tx) => {
        await tx.appendMessage(message('msg_1'));
        await tx.appendMessage(message('msg_1')).catch(() => undefined);
      });
      await expect(stubborn).rejects.toMatchObject({ code: 'conflict' });
      expect(await store().read((r) => r.message('msg_1'))).toBeUndefined();
    });

    it('[S1] is not kept in part when one of several statements that go side by side fails', async () => {
      let sent: Promise<unknown>[] = [];
      const failing = write(store(), async (tx) => {
        sent = [C, 'chat_2', 'chat_3', 'chat_4', 'chat_5'].map((id) => tx.insertChat({ id, worldId: W, title: id }));
        await Promise.all(sent);
      });
      await expect(failing).rejects.toMatchObject({ code: 'conflict' });
      await Promise.allSettled(sent);
      expect(ids(await store().read((r) => r.chats(W)))).toEqual([C]);
    });

    it('sees its own writes; others see them when it is committed', async () => {
      let early: Promise<unknown> | undefined;
      await write(store(), async (tx) => {
        await tx.appendMessage(message('msg_1'));
        expect(await tx.message('msg_1')).toBeDefined();
        early = store().read((r) => r.chat(C));
      });
      // It ran before the commit or after it, never in between.
      expect([0, 1]).toContain(((await early) as { lastSeq: number }).lastSeq);
      expect(await store().read((r) => r.message('msg_1'))).toBeDefined();
    });

    it('has one moment', async () => {
      await write(store(), async (tx) => {
        const now = tx.now();
        const said = await tx.appendMessage(message('msg_1'));
        expect(said.createdAt).toBe(now);
        expect(tx.now()).toBe(now);
        expect(Number.isInteger(now)).toBe(true);
      });
    });

    it('can not be used after its end', async () => {
      const kept = await write(store(), async (tx) => tx);
      await expect(kept.appendMessage(message('msg_1'))).rejects.toThrow('after its end');
    });

    it('that emits nothing needs no world, and one that does says which is missing', async () => {
      expect((await store().transact('nowhere', async (tx) => tx.world('nowhere'))).events).toEqual([]);
      const speaking = store().transact('nowhere', async (tx) => tx.record({ kind: 'stop' }));
      await expect(speaking).rejects.toMatchObject({ code: 'not-found' });
    });

    it('comes too late for a closed store', async () => {
      await store().close();
      await expect(write(store(), async () => 1)).rejects.toMatchObject({ code: 'closed' });
      await expect(store().read(async () => 1)).rejects.toMatchObject({ code: 'closed' });
    });
  });

  describe('turns', () => {
    it('[T6] a step with a stale epoch or rev writes nothing', async () => {
      await write(store(), (tx) => tx.insertTurn(turn('turn_1', { epoch: 2, rev: 7 })));
      const step = (epoch: number, rev: number) =>
        write(store(), (tx) => tx.stepTurn({ id: 'turn_1', epoch, rev }, { iteration: rev }));
      expect(await step(1, 7)).toBe(false);
      expect(await step(2, 6)).toBe(false);
      expect(await step(2, 8)).toBe(false);
      expect(await store().read((r) => r.turn('turn_1'))).toMatchObject({ epoch: 2, rev: 7, iteration: 0 });
      expect(await step(2, 7)).toBe(true);
      expect(await step(2, 7)).toBe(false);
      expect(await store().read((r) => r.turn('turn_1'))).toMatchObject({ epoch: 2, rev: 8, iteration: 7 });
    });

    it('a change touches what it names and nothing else, null included', async () => {
      const before = turn('turn_1', { owner: 'me', begunSeq: 3, inputTokens: 4, outputTokens: 5, outcome: 'failed' });
      await write(store(), (tx) => tx.insertTurn(before));
      await write(store(), (tx) => tx.stepTurn(before, {}));
      expect(await store().read((r) => r.turn('turn_1'))).toStrictEqual({ ...before, rev: 2 });
      const all = {
        state: 'ended',
        outcome: null,
        iteration: 9,
        owner: null,
        interruptions: 8,
        begunSeq: null,
        inputTokens: 7,
        outputTokens: 6,
        endedAt: 5,
      } as const;
      await write(store(), (tx) => tx.stepTurn({ ...before, rev: 2 }, all));
      expect(await store().read((r) => r.turn('turn_1'))).toStrictEqual({ ...before, ...all, rev: 3 });
    });

    it('[S3] a takeover raises epoch and rev, so that the old owner can write no more', async () => {
      await write(store(), (tx) => tx.insertTurn(turn('turn_1', { owner: 'old' })));
      const taken = await write(store(), (tx) => tx.fenceTurn('turn_1', { owner: 'new', interruptions: 1 }));
      expect(taken).toMatchObject({ owner: 'new', epoch: 2, rev: 2, interruptions: 1, state: 'open' });
      expect(await write(store(), (tx) => tx.stepTurn({ id: 'turn_1', epoch: 1, rev: 1 }, {}))).toBe(false);
      expect(await write(store(), (tx) => tx.fenceTurn('turn_1', { state: 'ended', owner: null }))).toMatchObject({
        state: 'ended',
        owner: null,
        epoch: 3,
      });
      expect(await write(store(), (tx) => tx.fenceTurn('turn_1', { outcome: 'stopped' }))).toBeUndefined();
      expect(await write(store(), (tx) => tx.fenceTurn('nothing', {}))).toBeUndefined();
    });

    it('[M11] an agent has at most one open or waiting turn in a chat', async () => {
      await write(store(), (tx) => tx.insertTurn(turn('turn_1', { state: 'waiting' })));
      await expect(write(store(), (tx) => tx.insertTurn(turn('turn_2')))).rejects.toMatchObject({ code: 'conflict' });
      await write(store(), async (tx) => {
        await tx.insertTurn(turn('turn_3', { state: 'queued', triggerSeq: 3 }));
        await tx.insertTurn(turn('turn_4', { state: 'queued', triggerSeq: 2 }));
        await tx.insertTurn(turn('turn_5', { agentId: B }));
        await tx.insertTurn(turn('turn_6', { chatId: 'chat_2' }));
      });
      const opening = write(store(), (tx) => tx.stepTurn({ id: 'turn_3', epoch: 1, rev: 1 }, { state: 'open' }));
      await expect(opening).rejects.toMatchObject({ code: 'conflict' });
      await store().read(async (r) => {
        expect((await r.currentTurn(C, A))?.id).toBe('turn_1');
        expect((await r.nextQueuedTurn(C, A))?.id).toBe('turn_4');
        expect(await r.nextQueuedTurn(C, B)).toBeUndefined();
        expect(ids(await r.unfinishedTurns(C))).toEqual(['turn_1', 'turn_5', 'turn_4', 'turn_3']);
        expect(ids(await r.unfinishedTurns())).toHaveLength(5);
        expect(await r.countUnfinished(C)).toEqual({ working: 1, waiting: 1 });
        expect(await r.countUnfinished('nothing')).toEqual({ working: 0, waiting: 0 });
        expect(await r.countWorking(W)).toBe(4);
        expect(await r.countWorking('elsewhere')).toBe(0);
      });
    });

    it('one message makes one turn of an agent, however often it is written', async () => {
      await write(store(), (tx) => tx.insertTurn(turn('turn_1', { iteration: 4 })));
      await write(store(), (tx) => tx.insertTurn(turn('turn_1')));
      expect(await store().read((r) => r.turn('turn_1'))).toMatchObject({ iteration: 4 });
    });

    it('ended ones are listed newest first between two messages', async () => {
      await write(store(), async (tx) => {
        for (let seq = 1; seq <= 6; seq += 1) {
          await tx.insertTurn(turn(`turn_${seq}`, { triggerSeq: seq, state: seq === 6 ? 'open' : 'ended' }));
        }
      });
      await store().read(async (r) => {
        expect(ids(await r.endedTurns(C, A, { after: 1, before: 5, limit: 9 }))).toEqual([
          'turn_4',
          'turn_3',
          'turn_2',
        ]);
        expect(ids(await r.endedTurns(C, A, { after: 0, before: 9, limit: 2 }))).toEqual(['turn_5', 'turn_4']);
        expect(await r.endedTurns(C, B, { after: 0, before: 9, limit: 2 })).toEqual([]);
      });
    });

    it('[M6] those that answer a message or a later one are counted, silent and queued ones are not', async () => {
      await write(store(), async (tx) => {
        const add = (seq: number, begunSeq: number | null, change: Parameters<typeof turn>[1]) =>
          tx.insertTurn(turn(`turn_${seq}`, { triggerSeq: seq, begunSeq, ...change }));
        await add(1, 1, { state: 'ended', outcome: 'answered' });
        await add(2, 4, { state: 'ended', outcome: 'answered' });
        await add(5, 6, { state: 'ended', outcome: 'silent' });
        await add(7, 8, { state: 'ended', outcome: 'handed-over' });
        await add(8, 9, { state: 'open' });
        await add(10, null, { state: 'queued' });
        await tx.insertTurn(turn('turn_b', { agentId: B, triggerSeq: 8, begunSeq: 8 }));
      });
      await store().read(async (r) => {
        expect(await r.countTurnsSince(C, A, 0)).toBe(4);
        expect(await r.countTurnsSince(C, A, 2)).toBe(3);
        expect(await r.countTurnsSince(C, A, 3)).toBe(2);
        expect(await r.countTurnsSince(C, A, 8)).toBe(1);
        expect(await r.countTurnsSince(C, A, 10)).toBe(0);
      });
    });
  });

  describe('calls, approvals and grants', () => {
    it('[A8] a status changes only from the one that was expected', async () => {
      await write(store(), (tx) => tx.insertInvocation(invocation('call_1')));
      const change = (from: 'asked' | 'approved', to: 'approved' | 'started') =>
        write(store(), (tx) => tx.changeInvocation('call_1', from, { status: to }));
      expect(await change('approved', 'started')).toBe(false);
      expect(await change('asked', 'approved')).toBe(true);
      expect(await change('asked', 'approved')).toBe(false);
      expect(await store().read((r) => r.invocation('call_1'))).toMatchObject({ status: 'approved' });
      expect(await write(store(), (tx) => tx.changeInvocation('nothing', 'asked', { status: 'denied' }))).toBe(false);
    });

    it('a change touches what it names and nothing else, null included', async () => {
      const before = invocation('call_1', {
        callHash: 'h',
        approvalId: 'a',
        startedEpoch: 1,
        result: 'r',
        startedAt: 1,
      });
      await write(store(), (tx) => tx.insertInvocation(before));
      await write(store(), (tx) => tx.changeInvocation('call_1', 'asked', { status: 'approved' }));
      expect(await store().read((r) => r.invocation('call_1'))).toStrictEqual({ ...before, status: 'approved' });
      const all = {
        status: 'failed',
        arguments: HOSTILE,
        edited: true,
        callHash: null,
        approvalId: null,
        startedEpoch: null,
        result: null,
        outcomeUnknown: true,
        startedAt: null,
        settledAt: 9,
      } as const;
      await write(store(), (tx) => tx.changeInvocation('call_1', 'approved', all));
      expect(await store().read((r) => r.invocation('call_1'))).toStrictEqual({ ...before, ...all });
    });

    it('the calls of one answer come in call order', async () => {
      await write(store(), async (tx) => {
        await tx.insertInvocation(invocation('call_b', { position: 1 }));
        await tx.insertInvocation(invocation('call_a', { position: 2 }));
        await tx.insertInvocation(invocation('call_c', { position: 0 }));
        await tx.insertInvocation(invocation('call_d', { iteration: 2 }));
      });
      expect(ids(await store().read((r) => r.invocations('turn_1', 1)))).toEqual(['call_c', 'call_b', 'call_a']);
    });

    it('[T5] [S2] what is left of an answer is told in call order, so many of each kind', async () => {
      const given = { status: 'approved', settledAt: null } as const;
      await write(store(), async (tx) => {
        await tx.insertInvocation(invocation('call_b', { ...given, position: 1 }));
        await tx.insertInvocation(invocation('call_a', { ...given, position: 2 }));
        await tx.insertInvocation(invocation('call_c', { ...given, position: 0 }));
        await tx.insertInvocation(invocation('call_d', { ...given, iteration: 2 }));
        await tx.insertInvocation(invocation('call_e', { ...given, position: 4, status: 'asked' }));
        await tx.insertInvocation(invocation('call_f', { ...given, position: 3, status: 'started', startedEpoch: 7 }));
        await tx.insertInvocation(invocation('call_g', { position: 5, status: 'denied', settledAt: 1 }));
      });
      const open = await store().read((r) => r.openCalls('turn_1', 1, { limit: 2 }));
      expect(ids(open)).toEqual(['call_f', 'call_c', 'call_b', 'call_e']);
      const { location, readOnly } = invocation('call_f');
      expect(open[0]).toStrictEqual({ id: 'call_f', status: 'started', location, readOnly, startedEpoch: 7 });
    });

    it('[S3] an unknown outcome is known by chat, tool and exact arguments until a person decides', async () => {
      await write(store(), (tx) =>
        tx.insertInvocation(invocation('call_1', { arguments: HOSTILE, status: 'started' })),
      );
      expect(await store().read((r) => r.outcomeUnknown(C, 'shell_cmd', HOSTILE))).toBe(false);
      await write(store(), (tx) =>
        tx.changeInvocation('call_1', 'started', { status: 'failed', outcomeUnknown: true }),
      );
      await store().read(async (r) => {
        expect(await r.outcomeUnknown(C, 'shell_cmd', HOSTILE)).toBe(true);
        expect(await r.outcomeUnknown(C, 'shell_cmd', `${HOSTILE} `)).toBe(false);
        expect(await r.outcomeUnknown(C, 'other', HOSTILE)).toBe(false);
        expect(await r.outcomeUnknown('chat_2', 'shell_cmd', HOSTILE)).toBe(false);
      });
      await write(store(), (tx) => tx.clearOutcomeUnknown(C, 'shell_cmd', HOSTILE));
      expect(await store().read((r) => r.outcomeUnknown(C, 'shell_cmd', HOSTILE))).toBe(false);
    });

    it('[A8] an approval is settled once', async () => {
      await write(store(), (tx) => tx.insertApproval(approval('approval_1')));
      const decide = (decision: 'approve' | 'deny') =>
        write(store(), (tx) =>
          tx.settleApproval('approval_1', {
            status: decision === 'approve' ? 'approved' : 'denied',
            decision,
            scope: 'once',
            reason: null,
            decisionDigest: decision,
            decidedBy: 'me',
          }),
        );
      expect(await decide('deny')).toBe(true);
      expect(await decide('approve')).toBe(false);
      expect(await store().read((r) => r.approval('approval_1'))).toMatchObject({
        status: 'denied',
        decision: 'deny',
        decisionDigest: 'deny',
        decidedAt: expect.any(Number) as number,
      });
    });

    it('[A12] the queue is the pending ones, oldest first, of a world or a chat', async () => {
      await write(store(), async (tx) => {
        await tx.insertChat({ id: 'chat_2', worldId: W, title: 'B' });
        await tx.insertApproval(approval('approval_z', { expiresAt: 30 }));
        await tx.insertApproval(approval('approval_y', { chatId: 'chat_2', expiresAt: 20 }));
        await tx.insertApproval(approval('approval_x', { status: 'denied', expiresAt: 10 }));
        await tx.insertApproval(approval('approval_w'));
      });
      await store().read(async (r) => {
        expect(ids(await r.approvals(W, { status: 'pending' }))).toEqual(['approval_z', 'approval_y', 'approval_w']);
        expect(ids(await r.approvals(W, { status: 'pending', chatId: C }))).toEqual(['approval_z', 'approval_w']);
        expect(ids(await r.approvals(W, { chatId: C }))).toEqual(['approval_z', 'approval_x', 'approval_w']);
        expect(ids(await r.approvals(W, { status: 'denied' }))).toEqual(['approval_x']);
        expect(await r.approvals(W, {})).toHaveLength(4);
        expect(await r.approvals('elsewhere', { status: 'pending' })).toEqual([]);
        expect(await r.approvals('elsewhere', { chatId: C })).toEqual([]);
        expect(ids(await r.expiringApprovals())).toEqual(['approval_y', 'approval_z']);
        expect(await r.pendingApprovalIds(W)).toEqual(['approval_z', 'approval_y', 'approval_w']);
        expect(await r.pendingApprovalIds('elsewhere')).toEqual([]);
        expect((await r.pendingOfAgent(W, A)).map(({ waiting }) => waiting)).toEqual([2, 1]);
        expect((await r.pendingOfAgent(W, A))[0]).toEqual({ chatId: C, waiting: 2 });
        expect(await r.pendingOfAgent(W, 'another')).toEqual([]);
        expect(await r.pendingOfAgent('elsewhere', A)).toEqual([]);
      });
    });

    it('[A5] [A14] a grant counts while it is used and until it is revoked', async () => {
      await write(store(), async (tx) => {
        await tx.insertGrant(grant('grant_2', { pattern: 'ls *' }), '');
        await tx.insertGrant(grant('grant_1', { lastUsedAt: 5_000 }), '');
        await tx.insertGrant(grant('grant_3', { agentId: B }), '');
        await tx.insertGrant(grant('grant_4', { toolName: 'fetch' }), '');
        await tx.insertGrant(grant('grant_5', { chatId: 'chat_2' }), '');
      });
      const live = (usedAfter: number) =>
        store().read(async (r) => ids(await r.grants(C, A, 'shell_cmd', usedAfter, ['', ''])));
      expect(await live(0)).toEqual(['grant_2', 'grant_1']);
      expect(await live(1_000)).toEqual(['grant_1']);
      await write(store(), (tx) => tx.touchGrant('grant_2'));
      expect(await live(1_000)).toEqual(['grant_2', 'grant_1']);
      expect(await write(store(), (tx) => tx.revokeGrant('grant_1'))).toBe(true);
      expect(await write(store(), (tx) => tx.revokeGrant('grant_1'))).toBe(false);
      expect(await live(0)).toEqual(['grant_2']);
      expect(ids(await store().read((r) => r.grantsOfWorld(W)))).toEqual(['grant_2', 'grant_3', 'grant_4']);
    });

    it('[N3] finds the grants of a call by what it must have for them to cover it, and those that may cover any', async () => {
      await write(store(), async (tx) => {
        await tx.insertGrant(grant('grant_1', {}), '');
        await tx.insertGrant(grant('grant_2', { pattern: 'ls *' }), '^ls');
        await tx.insertGrant(grant('grant_3', { pattern: 'git log' }), '=git\u001Flog');
        await tx.insertGrant(grant('grant_4', { pattern: 'cat *' }), '^cat');
      });
      const found = (...keys: [string, string]) =>
        store().read(async (r) => ids(await r.grants(C, A, 'shell_cmd', 0, keys)));
      expect(await found('^ls', '=ls')).toEqual(['grant_1', 'grant_2']);
      expect(await found('^git', '=git\u001Flog')).toEqual(['grant_1', 'grant_3']);
      expect(await found('', '')).toEqual(['grant_1']);
    });

    it('[A13] tells whether a client is there that can ask a person', async () => {
      const hasAsker = (worldId = W) => store().read((r) => r.hasAsker(worldId));
      expect(await hasAsker()).toBe(false);
      await write(store(), (tx) => tx.insertClient(client('client_mute', { approvals: false, leftAt: null })));
      expect(await hasAsker()).toBe(false);
      await write(store(), (tx) => tx.insertClient(client('client_1', { approvals: true, leftAt: null })));
      expect(await hasAsker()).toBe(true);
      expect(await hasAsker('elsewhere')).toBe(false);
      await write(store(), (tx) => tx.setClientConnected('client_1', 'here'));
      await write(store(), (tx) => tx.setClientCut('client_1', 'here'));
      expect(await hasAsker()).toBe(false);
    });

    it('[A18] a client leaves, comes back and goes', async () => {
      await write(store(), (tx) => tx.insertClient(client('client_1')));
      const client1 = () => store().read((r) => r.client('client_1'));
      await write(store(), (tx) => tx.setClientConnected('client_1', 'here'));
      expect(await client1()).toMatchObject({ leftAt: null, connectedTo: 'here' });
      await write(store(), (tx) => tx.setClientConnected('client_1', 'there'));
      expect(await write(store(), (tx) => tx.setClientCut('client_1', 'here'))).toBe(false);
      expect(await client1()).toMatchObject({ leftAt: null, connectedTo: 'there' });
      expect(await write(store(), (tx) => tx.setClientCut('client_1', 'there'))).toBe(true);
      expect(await client1()).toMatchObject({ leftAt: expect.any(Number) as number, connectedTo: '' });
      expect(await write(store(), (tx) => tx.setClientCut('client_1', ''))).toBe(false);
      expect(ids(await store().read((r) => r.allClients()))).toEqual(['client_1']);
      expect(await write(store(), (tx) => tx.deleteClient('client_1'))).toBe(true);
      expect(await write(store(), (tx) => tx.deleteClient('client_1'))).toBe(false);
      expect(await store().read((r) => r.clients(W))).toEqual([]);
    });
  });
}
