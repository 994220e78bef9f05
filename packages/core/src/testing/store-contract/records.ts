import { describe, expect, it } from 'vitest';
import {
  A,
  agent,
  approval,
  B,
  C,
  chat,
  client,
  grant,
  HOSTILE,
  invocation,
  message,
  say,
  settings,
  step,
  turn,
  W,
  write,
} from './samples.js';
import { freshStore, type OpenStore } from './under-test.js';

/** Every record round-trips, and every list is in its defined order. */
export function describeRecords(open: OpenStore): void {
  const { store } = freshStore(open);

  describe('worlds and agents', () => {
    it('round-trip, and each change increments rev', async () => {
      expect(await store().read((r) => r.world(W))).toStrictEqual({
        id: W,
        name: 'Garden',
        settings,
        policy: ['allow read_file'],
        proposed: [],
        rev: 3,
        createdAt: expect.any(Number) as number,
      });
      await write(store(), (tx) => tx.updateWorld(W, { policy: [HOSTILE] }));
      await write(store(), (tx) => tx.updateWorld(W, { name: HOSTILE, settings: { ...settings, mode: 'read' } }));
      await write(store(), (tx) => tx.updateAgent(W, A, { ...agent, systemPrompt: HOSTILE }));
      await step(store(), (tx) => tx.removeAgent(B));
      const world = await store().read((r) => r.world(W));
      expect(world).toMatchObject({ name: HOSTILE, settings: { mode: 'read' }, policy: [HOSTILE], rev: 7 });
      expect(await store().read((r) => r.worldRev(W))).toBe(7);
      expect(await store().read((r) => r.agents(W))).toStrictEqual([
        { worldId: W, id: A, definition: { ...agent, systemPrompt: HOSTILE }, makers: [], createdAt: world?.createdAt },
      ]);
    });

    it('are listed in the order they were added', async () => {
      await write(store(), (tx) => tx.insertWorld({ id: 'aaa', name: 'A', settings, policy: [] }), 'aaa');
      await write(store(), (tx) => tx.insertAgent(W, 'aaron', agent));
      expect((await store().read((r) => r.worlds())).map(({ id }) => id)).toEqual([W, 'aaa']);
      expect((await store().read((r) => r.agents(W))).map(({ id }) => id)).toEqual([A, B, 'aaron']);
    });

    it('[CALL17.4] an id is never reused, even after deletion', async () => {
      await step(store(), (tx) => tx.removeAgent(B));
      expect(await store().read((r) => r.agentIdTaken(W, B))).toBe(true);
      expect(await store().read((r) => r.agentIdTaken('elsewhere', B))).toBe(false);
      await expect(write(store(), (tx) => tx.insertAgent(W, B, agent))).rejects.toMatchObject({ code: 'conflict' });
      await step(store(), (tx) => tx.deleteWorld());
      expect(await store().read((r) => r.worldIdTaken(W))).toBe(true);
      await expect(
        write(store(), (tx) => tx.insertWorld({ id: W, name: 'Again', settings, policy: [] })),
      ).rejects.toMatchObject({ code: 'conflict' });
      expect(await store().read((r) => r.world(W))).toBeUndefined();
    });

    it('missing records are undefined', async () => {
      await store().read(async (r) => {
        expect(await r.world('no')).toBeUndefined();
        expect(await r.worldRev('no')).toBeUndefined();
        expect(await r.worldIdTaken('no')).toBe(false);
        expect(await r.chat('no')).toBeUndefined();
        expect(await r.message('no')).toBeUndefined();
        expect(await r.turn('no')).toBeUndefined();
        expect(await r.invocation('no')).toBeUndefined();
        expect(await r.approval('no')).toBeUndefined();
        expect(await r.grant('no')).toBeUndefined();
        expect(await r.client('no')).toBeUndefined();
        expect(await r.lastEventId('no')).toBe(0);
      });
    });

    it('a name that contains a NUL character matches no other record', async () => {
      expect(await store().read((r) => r.world(`${W}\0x`))).toBeUndefined();
      expect(await store().read((r) => r.chat(`${C}\0`))).toBeUndefined();
    });
  });

  describe('chats', () => {
    it('round-trip and can be changed', async () => {
      const made = chat('chat_2', { title: HOSTILE, titled: true });
      await step(store(), (tx) => tx.createChat(made));
      expect(await store().read((r) => r.chat('chat_2'))).toStrictEqual(made);
      await step(store(), (tx) => tx.changeChat('chat_2', { status: 'waiting' }), { chats: ['chat_2'] });
      expect(await store().read((r) => r.chats(W))).toMatchObject([
        { id: C, status: 'idle', titled: false },
        { id: 'chat_2', status: 'waiting' },
      ]);
    });

    it('[STORE2] are read in pages, from either end, without those of other worlds', async () => {
      await step(store(), (tx) => {
        for (const id of ['chat_2', 'chat_3', 'chat_4']) tx.createChat(chat(id));
        tx.createChat(chat('chat_of_others', { worldId: 'another' }));
        tx.changeChat('chat_3', { status: 'working' });
      });
      const ids = (chats: readonly { id: string; status: string }[]): string[] =>
        chats.map(({ id, status }) => (status === 'idle' ? id : `${id} ${status}`));
      await store().read(async (r) => {
        expect(ids(await r.chatsAfter(W, { limit: 2 }))).toEqual([C, 'chat_2']);
        expect(ids(await r.chatsAfter(W, { after: 'chat_2', limit: 9 }))).toEqual(['chat_3 working', 'chat_4']);
        expect(ids(await r.chatsAfter(W, { after: 'chat_4', limit: 9 }))).toEqual([]);
        expect(ids(await r.lastChats(W, { limit: 2 }))).toEqual(['chat_3 working', 'chat_4']);
        expect(ids(await r.lastChats(W, { before: 'chat_3', limit: 9 }))).toEqual([C, 'chat_2']);
        expect(ids(await r.lastChats(W, { before: C, limit: 9 }))).toEqual([]);
      });
    });

    it('[WORLD7] a chat counts as titled after an attempt, even if it keeps the default title', async () => {
      await step(store(), (tx) => tx.changeChat(C, { title: 'New chat', titled: true }));
      expect(await store().read((r) => r.chat(C))).toMatchObject({ title: 'New chat', titled: true });
    });
  });

  describe('messages', () => {
    it('round-trip with any content', async () => {
      const full = message('msg_full', {
        role: 'assistant',
        sender: HOSTILE,
        speaker: 'agent',
        agentId: A,
        turnId: 'turn_1',
        iteration: 2,
        replyTo: 'msg_0',
        content: HOSTILE,
        toolCalls: [{ id: 'call_1', type: 'function', function: { name: 'x', arguments: HOSTILE } }],
        toolCallId: 'call_0',
        addressees: [A, B],
        secrets: [HOSTILE],
        providerState: {
          provider: 'p',
          model: 'm',
          usage: { inputTokens: 1, outputTokens: 2 },
          state: { deep: [HOSTILE, null, 1.5] },
          vendorIds: ['v'],
        },
        clientMessageId: HOSTILE,
      });
      const written = await step(store(), (tx) => tx.appendMessage(full));
      expect(written).toStrictEqual({ ...full, seq: 1, createdAt: written.createdAt });
      expect(await store().read((r) => r.message('msg_full'))).toStrictEqual(written);
    });

    it('can be a megabyte long', async () => {
      const content = 'ü\0'.repeat(500) + 'ü'.repeat(999_000);
      const written = await say(store(), 'msg_big', { content });
      const read = await store().read((r) => r.message('msg_big'));
      expect(read?.content === content).toBe(true);
      expect(read?.seq).toBe(written.seq);
    });

    it('[STORE2] are numbered from 1 without gaps, and a chat tracks its last and last human message', async () => {
      await say(store(), 'msg_1');
      await say(store(), 'msg_2', { speaker: 'agent', role: 'assistant', agentId: A });
      await say(store(), 'msg_3', { speaker: 'world' });
      await say(store(), 'msg_4', { speaker: 'tool', role: 'tool' });
      await say(store(), 'msg_5', { speaker: 'system', role: 'system' });
      const all = await store().read((r) => r.messages(C, { after: 0, limit: 100 }));
      expect(all.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
      expect(await store().read((r) => r.chat(C))).toMatchObject({ lastSeq: 5, humanSeq: 3 });
    });

    it('are read in pages, from either end', async () => {
      for (let i = 1; i <= 7; i += 1) await say(store(), `msg_${i}`);
      const ids = (records: { id: string }[]): string[] => records.map(({ id }) => id);
      await store().read(async (r) => {
        expect(ids(await r.messages(C, { after: 2, limit: 3 }))).toEqual(['msg_3', 'msg_4', 'msg_5']);
        expect(ids(await r.messages(C, { after: 7, limit: 3 }))).toEqual([]);
        expect(ids(await r.lastMessages(C, { limit: 2 }))).toEqual(['msg_6', 'msg_7']);
        expect(ids(await r.lastMessages(C, { limit: 50 }))).toHaveLength(7);
      });
    });

    it('of a turn are listed without its trigger, oldest first', async () => {
      await say(store(), 'msg_1');
      await say(store(), 'msg_2', { turnId: 'turn_1', iteration: 1 });
      await say(store(), 'msg_3');
      await say(store(), 'msg_4', { turnId: 'turn_1', iteration: 2 });
      const own = await store().read((r) => r.messagesOfTurn('turn_1'));
      expect(own.map(({ id }) => id)).toEqual(['msg_2', 'msg_4']);
    });

    it('a message that a client sends twice is not written twice', async () => {
      await say(store(), 'msg_1', { clientMessageId: 'c1' });
      await expect(say(store(), 'msg_2', { clientMessageId: 'c1' })).rejects.toMatchObject({ code: 'conflict' });
      expect(await store().read((r) => r.chat(C))).toMatchObject({ lastSeq: 1 });
    });

    it('need a chat', async () => {
      await expect(say(store(), 'msg_1', { chatId: 'nowhere' })).rejects.toMatchObject({ code: 'not-found' });
    });
  });

  it('turns, calls, approvals, grants and clients round-trip', async () => {
    const records = {
      turn: turn('turn_x', {
        state: 'ended',
        outcome: 'handed-over',
        iteration: 3,
        epoch: 4,
        owner: HOSTILE,
        interruptions: 2,
        begunSeq: 9,
        inputTokens: 10,
        outputTokens: 11,
        endedAt: 1_794_000_000_000,
      }),
      bareTurn: turn('turn_y'),
      invocation: invocation('call_x', {
        arguments: HOSTILE,
        editedBy: HOSTILE,
        callHash: 'h',
        status: 'failed',
        runBy: 'client',
        readOnly: true,
        idempotent: true,
        approvalId: 'approval_x',
        startedEpoch: 4,
        result: HOSTILE,
        outcomeUnknown: true,
        startedAt: 5,
        settledAt: 6,
      }),
      bareInvocation: invocation('call_y', { position: 1 }),
      approval: approval('approval_x', {
        message: HOSTILE,
        rule: 'ask *',
        session: { pattern: HOSTILE, any: false },
        proposedRule: HOSTILE,
        workingDirectory: HOSTILE,
        sandbox: { kind: 'unknown', network: 'listed', hosts: [HOSTILE], readable: [HOSTILE], detail: HOSTILE },
        preview: { text: HOSTILE, truncated: true },
        rehearsal: {
          ms: 12,
          effect: {
            files: [{ path: HOSTILE, change: 'changed', kind: 'file', bytes: 3, diff: HOSTILE }],
            leftOut: [{ path: HOSTILE, why: HOSTILE }],
            effectHash: '0'.repeat(64),
            exitCode: 1,
            output: HOSTILE,
            truncated: true,
          },
        },
        question: { text: HOSTILE, choices: [HOSTILE], raisedBy: 'tool' },
        status: 'approved',
        decision: 'approve',
        scope: 'session',
        reason: HOSTILE,
        decisionDigest: '{}',
        decidedBy: HOSTILE,
        expiresAt: 2,
        decidedAt: 3,
      }),
      bareApproval: approval('approval_y'),
      grant: grant('grant_x', { folder: HOSTILE, pattern: HOSTILE, answeredRule: 'ask *', revokedAt: 9 }),
      bareGrant: grant('grant_y'),
      client: client('client_x', { tools: [{ name: HOSTILE }], approvals: false, leftAt: 4 }),
      bareClient: client('client_y'),
    };
    await step(store(), (tx) => {
      tx.insertTurn(records.turn);
      tx.insertTurn(records.bareTurn);
      tx.insertInvocation(records.invocation);
      tx.insertInvocation(records.bareInvocation);
      tx.insertApproval(records.approval);
      tx.insertApproval(records.bareApproval);
      tx.giveGrant(records.grant, '');
      tx.giveGrant(records.bareGrant, '');
    });
    await write(store(), async (tx) => {
      await tx.insertClient(records.client);
      await tx.insertClient(records.bareClient);
    });
    const read = await store().read(async (r) => ({
      turn: await r.turn('turn_x'),
      bareTurn: await r.turn('turn_y'),
      invocation: await r.invocation('call_x'),
      bareInvocation: await r.invocation('call_y'),
      approval: await r.approval('approval_x'),
      bareApproval: await r.approval('approval_y'),
      grant: await r.grant('grant_x'),
      bareGrant: await r.grant('grant_y'),
      client: await r.client('client_x'),
      bareClient: await r.client('client_y'),
    }));
    expect(read).toStrictEqual(records);
    expect(await store().read((r) => r.invocations('turn_1', 1))).toStrictEqual([
      records.invocation,
      records.bareInvocation,
    ]);
    expect(await store().read((r) => r.clients(W))).toStrictEqual([records.client, records.bareClient]);
  });
}
