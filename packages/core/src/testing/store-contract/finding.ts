import { describe, expect, it } from 'vitest';
import { A, addChats, approval, B, C, chat, invocation, say, settings, step, turn, W, write } from './samples.js';
import { freshStore, type OpenStore } from './under-test.js';

const END = Number.MAX_SAFE_INTEGER;

/** Search, paging and counts. */
export function describeFinding(open: OpenStore): void {
  const { store } = freshStore(open);
  const find = async (words: readonly string[], page = { before: END, limit: 10 }): Promise<string[]> =>
    (await store().read((r) => r.search(W, words, page))).map(({ messageId }) => messageId);
  const add = (
    from: number,
    upto: number,
    documents: Record<string, readonly string[]>,
    chatId = C,
    worldId = W,
  ): Promise<boolean> =>
    write(
      store(),
      (tx) =>
        tx.addToSearch(
          worldId,
          { from, upto },
          Object.entries(documents).map(([messageId, words]) => ({ messageId, chatId, words })),
        ),
      worldId,
    );

  describe('search', () => {
    it('finds messages with all words, newest first, and matches the last word as a prefix', async () => {
      await add(0, 3, { msg_1: ['the', 'red', 'boat'], msg_2: ['the', 'boathouse'], msg_3: ['漢', '字', 'the'] });
      expect(await find(['the'])).toEqual(['msg_3', 'msg_2', 'msg_1']);
      expect(await find(['the', 'boat'])).toEqual(['msg_2', 'msg_1']);
      expect(await find(['boat', 'the'])).toEqual(['msg_1']);
      expect(await find(['漢', '字'])).toEqual(['msg_3']);
      expect(await find(['nothing'])).toEqual([]);
      expect(await find([])).toEqual([]);
    });

    it('treats operator names as plain words', async () => {
      await add(0, 1, { msg_1: ['not', 'near', 'and', 'or'], msg_2: ['near'] });
      expect(await find(['not', 'near'])).toEqual(['msg_1']);
      expect(await find(['and', 'or', 'not'])).toEqual(['msg_1']);
    });

    it('continues from a position', async () => {
      await add(0, 9, { msg_1: ['x'], msg_2: ['x'], msg_3: ['x'] });
      const [first] = await store().read((r) => r.search(W, ['x'], { before: END, limit: 1 }));
      expect(first?.messageId).toBe('msg_3');
      expect(await find(['x'], { before: first?.ordinal ?? 0, limit: 9 })).toEqual(['msg_2', 'msg_1']);
    });

    it('tracks its position, and accepts only one of two concurrent updates', async () => {
      expect(await store().read((r) => r.searchedUpTo(W))).toBe(0);
      expect(await add(0, 5, { msg_1: ['x'] })).toBe(true);
      expect(await add(0, 5, { msg_1: ['x'] })).toBe(false);
      expect(await add(5, 7, {})).toBe(true);
      expect(await store().read((r) => r.searchedUpTo(W))).toBe(7);
      expect(await find(['x'])).toEqual(['msg_1']);
    });

    it('finds no messages of other worlds and no deleted ones', async () => {
      await write(store(), (tx) => tx.insertWorld({ id: 'other', name: 'O', settings, policy: [] }), 'other');
      await step(store(), (tx) => tx.createChat(chat('chat_o', { worldId: 'other' })), {}, 'other');
      await addChats(store(), 'chat_2');
      await add(0, 1, { msg_1: ['x'] });
      await add(1, 2, { msg_2: ['x'] }, 'chat_2');
      await add(0, 1, { msg_o: ['x'] }, 'chat_o', 'other');
      expect(await find(['x'])).toEqual(['msg_2', 'msg_1']);
      await step(store(), (tx) => tx.deleteChat('chat_2'));
      expect(await find(['x'])).toEqual(['msg_1']);
      expect(await store().read((r) => r.search('other', ['x'], { before: END, limit: 9 }))).toHaveLength(1);
      await step(store(), (tx) => tx.deleteWorld(), {}, 'other');
      expect(await store().read((r) => r.search('other', ['x'], { before: END, limit: 9 }))).toEqual([]);
    });
  });

  describe('pages', () => {
    it('of messages can be read backwards', async () => {
      for (const id of ['msg_1', 'msg_2', 'msg_3', 'msg_4']) await say(store(), id);
      const before = async (seq: number): Promise<string[]> =>
        (await store().read((r) => r.lastMessages(C, { before: seq, limit: 2 }))).map(({ id }) => id);
      expect(await before(5)).toEqual(['msg_3', 'msg_4']);
      expect(await before(3)).toEqual(['msg_1', 'msg_2']);
      expect(await before(1)).toEqual([]);
    });

    it('of approvals have one status, oldest first', async () => {
      await addChats(store(), 'chat_2');
      await step(
        store(),
        (tx) => {
          for (const id of ['approval_1', 'approval_2', 'approval_3', 'approval_4']) {
            tx.insertApproval(approval(id, { chatId: id === 'approval_4' ? 'chat_2' : C }));
          }
          for (const id of ['approval_1', 'approval_3', 'approval_4']) {
            tx.settleApproval(id, {
              status: 'denied',
              decision: 'deny',
              scope: 'once',
              reason: null,
              decisionDigest: null,
              decidedBy: 'me',
            });
          }
        },
        { chats: [C, 'chat_2'] },
      );
      const page = async (more: { after?: string; chatId?: string; limit?: number }): Promise<string[]> =>
        (await store().read((r) => r.approvalsAfter(W, { status: 'denied', limit: 9, ...more }))).map(({ id }) => id);
      expect(await page({})).toEqual(['approval_1', 'approval_3', 'approval_4']);
      expect(await page({ limit: 1 })).toEqual(['approval_1']);
      expect(await page({ after: 'approval_1' })).toEqual(['approval_3', 'approval_4']);
      expect(await page({ chatId: C, after: 'approval_1' })).toEqual(['approval_3']);
    });
  });

  it('proposed rules are stored separately from the policy', async () => {
    await write(store(), (tx) => tx.updateWorld(W, { proposed: ['allow a', 'allow b'] }));
    expect(await store().read((r) => r.world(W))).toMatchObject({
      policy: ['allow read_file'],
      proposed: ['allow a', 'allow b'],
    });
    await write(store(), (tx) => tx.updateWorld(W, { policy: ['allow a'], proposed: ['allow b'] }));
    await write(store(), (tx) => tx.updateWorld(W, { name: 'Yard' }));
    expect(await store().read((r) => r.world(W))).toMatchObject({ policy: ['allow a'], proposed: ['allow b'] });
  });

  it('sums costs by agent and day, and tokens without a price apart', async () => {
    const day = 86_400_000;
    const used = { state: 'ended', outcome: 'answered', inputTokens: 5, outputTokens: 2 } as const;
    await say(store(), 'msg_1');
    await step(store(), (tx) => {
      tx.insertTurn(turn('turn_1', { ...used, microdollars: 30, createdAt: 3 * day }));
      tx.insertTurn(turn('turn_2', { ...used, microdollars: 12, createdAt: 4 * day - 1 }));
      tx.insertTurn(turn('turn_3', { ...used, createdAt: 4 * day - 1 }));
      tx.insertTurn(turn('turn_4', { ...used, agentId: B, microdollars: 0, createdAt: 4 * day }));
      tx.insertTurn(turn('turn_5', { agentId: B, state: 'waiting', createdAt: 5 * day }));
    });
    const costs = (chatId: string | null, since: number) => store().read((r) => r.costs(W, { chatId, since }));
    const two = { inputTokens: 5, outputTokens: 2, microdollars: 0, unpricedTokens: 0, day: 4, agentId: B };
    expect(await costs(null, 0)).toEqual([
      { day: 3, agentId: A, inputTokens: 15, outputTokens: 6, microdollars: 42, unpricedTokens: 7 },
      two,
    ]);
    expect(await costs(C, 4 * day)).toEqual([two]);
    expect(await costs('elsewhere', 0)).toEqual([]);
    expect(await store().read((r) => r.costs('elsewhere', { chatId: null, since: 0 }))).toEqual([]);
  });

  it('counts the data of a world', async () => {
    await say(store(), 'msg_1');
    await say(store(), 'msg_2');
    await step(store(), (tx) => {
      tx.insertTurn(
        turn('turn_1', { state: 'ended', outcome: 'answered', inputTokens: 5, outputTokens: 2, endedAt: 2_000 }),
      );
      tx.insertTurn(
        turn('turn_2', { state: 'ended', outcome: 'answered', inputTokens: 1, outputTokens: 1, endedAt: 2_000 }),
      );
      tx.insertTurn(turn('turn_3', { agentId: B, state: 'waiting' }));
      const ran = { status: 'succeeded', startedAt: 1_000 } as const;
      tx.insertInvocation(invocation('call_1', { ...ran, settledAt: 1_012 }));
      tx.insertInvocation(invocation('call_2', { ...ran, settledAt: 3_349, position: 1 }));
      tx.insertInvocation(invocation('call_3', { status: 'denied', settledAt: 1_001, position: 2 }));
      tx.insertApproval(approval('approval_1'));
      tx.insertApproval(approval('approval_2', { status: 'denied', decidedBy: 'Ada', decidedAt: 2_000 }));
    });
    const counts = await store().read((r) => r.stats(W));
    expect(counts).toMatchObject({ chats: 1, messages: 2 });
    expect(counts.turns).toHaveLength(2);
    expect(counts.turns).toContainEqual({
      agentId: A,
      outcome: 'answered',
      count: 2,
      inputTokens: 6,
      outputTokens: 3,
    });
    expect(counts.turns).toContainEqual({
      agentId: B,
      outcome: 'waiting',
      count: 1,
      inputTokens: 0,
      outputTokens: 0,
    });
    expect(counts.calls).toHaveLength(3);
    expect(counts.calls).toContainEqual({ tool: 'shell_cmd', status: 'succeeded', ms: 12, count: 1 });
    expect(counts.calls).toContainEqual({ tool: 'shell_cmd', status: 'succeeded', ms: 2_300, count: 1 });
    expect(counts.calls).toContainEqual({ tool: 'shell_cmd', status: 'denied', ms: null, count: 1 });
    expect(counts.approvals).toHaveLength(2);
    const pending = { tool: 'shell_cmd', status: 'pending', scope: null, ms: null, by: null, signing: null, count: 1 };
    expect(counts.approvals).toContainEqual(pending);
    expect(counts.approvals).toContainEqual(expect.objectContaining({ by: 'Ada', status: 'denied', count: 1 }));
    expect(await store().read((r) => r.stats('elsewhere'))).toEqual({
      chats: 0,
      messages: 0,
      turns: [],
      calls: [],
      approvals: [],
    });
  });
}
