import { expect, it } from 'vitest';
import {
  addChats,
  approval,
  B,
  C,
  client,
  grant,
  invocation,
  message,
  turn,
  W,
  write,
} from '../store-contract/samples.js';
import { freshStore, type OpenStore } from '../store-contract/under-test.js';
import { stateOf, step } from './support.js';

const CALLERS = 24;

/** Steps are atomic and serialized. */
export function describeAtomicity(open: OpenStore): void {
  const { store } = freshStore(open);

  it('[STORE1] a decision that throws writes nothing, and the next step sees the previous state', async () => {
    await step(store(), (tx) => {
      tx.appendMessage(message('msg_1'));
      tx.insertTurn(turn('turn_1', { iteration: 1 }));
      tx.insertInvocation(invocation('call_1'));
      tx.insertApproval(approval('approval_1'));
    });
    const before = await stateOf(store());
    const working = await step(store(), (tx) => tx.countWorking());
    const failure = new Error('thought better of it');
    const failing = step(store(), (tx) => {
      tx.appendMessage(message('msg_2'));
      tx.changeChat(C, { title: 'lost', status: 'working' });
      tx.insertTurn(turn('turn_2', { agentId: B }));
      tx.fenceTurn('turn_1', { state: 'ended', endedAt: 1 });
      tx.giveGrant(grant('grant_1'), '');
      tx.setPolicy(['deny *']);
      tx.emit({ event: 'system', chatId: C, data: { type: 'notice', message: 'lost' } });
      tx.record({ kind: 'stop' });
      throw failure;
    });
    await expect(failing).rejects.toBe(failure);
    expect(await stateOf(store())).toStrictEqual(before);
    expect(await step(store(), (tx) => tx.countWorking())).toBe(working);
    await store().read(async (r) => {
      expect(await r.messages(C, { after: 0, limit: 9 })).toHaveLength(1);
      expect(await r.turn('turn_2')).toBeUndefined();
      expect(await r.grant('grant_1')).toBeUndefined();
      expect(await r.events(W, { after: 0, limit: 9 })).toEqual([]);
      expect(await r.world(W)).toMatchObject({ policy: ['allow read_file'] });
    });
  });

  it('[STORE1] a fact that can’t be written rolls back the whole step', async () => {
    await step(store(), (tx) => tx.appendMessage(message('msg_1', { clientMessageId: 'sent_1' })));
    const before = await stateOf(store());
    const failing = step(store(), (tx) => {
      tx.insertTurn(turn('turn_1'));
      tx.appendMessage(message('msg_2'));
      tx.appendMessage(message('msg_3', { clientMessageId: 'sent_1' }));
      tx.emit({ event: 'system', chatId: C, data: { type: 'notice', message: 'lost' } });
      tx.record({ kind: 'stop' });
    });
    await expect(failing).rejects.toMatchObject({ code: 'conflict' });
    expect(await stateOf(store())).toStrictEqual(before);
    expect(await store().read((r) => r.message('msg_2'))).toBeUndefined();
    expect(await store().read((r) => r.lastEventId(W))).toBe(0);
    await step(store(), (tx) => tx.record({ kind: 'stop' }));
    expect(await store().verifyAudit(W)).toEqual({ ok: true, records: 1 });
  });

  it('[STORE1] a value that can’t be stored is rejected with its name, and nothing is written', async () => {
    const broken = message('msg_1', { content: undefined as unknown as string });
    const failing = step(store(), (tx) => {
      tx.insertTurn(turn('turn_1'));
      tx.appendMessage(broken);
    });
    await expect(failing).rejects.toThrow('content');
    expect(await store().read((r) => r.turn('turn_1'))).toBeUndefined();
    expect((await stateOf(store()))?.turns.size).toBe(0);
  });

  it('[CALL17.4] a used agent id is rejected, and nothing is written', async () => {
    const { definition } = (await store().read((r) => r.agents(W)))[0] ?? {};
    if (definition === undefined) throw new Error('there is no agent');
    await step(store(), (tx) => tx.removeAgent(B));
    const failing = step(store(), (tx) => {
      tx.appendMessage(message('msg_1'));
      tx.addAgent({ worldId: W, id: B, definition, makers: [], createdAt: 1 });
    });
    await expect(failing).rejects.toMatchObject({ code: 'conflict' });
    expect(await store().read((r) => r.chat(C))).toMatchObject({ lastSeq: 0 });
  });

  it('[STORE1] concurrent steps of one chat do not overlap, and all take effect', async () => {
    const said = await Promise.all(
      Array.from({ length: CALLERS }, (_, index) =>
        step(store(), (tx) => tx.appendMessage(message(`msg_${index}`)).seq),
      ),
    );
    expect([...said].sort((a, b) => a - b)).toEqual(Array.from({ length: CALLERS }, (_, index) => index + 1));
    expect(await store().read((r) => r.chat(C))).toMatchObject({ lastSeq: CALLERS });
  });

  it('[STORE1] a step that throws does not affect concurrent steps', async () => {
    const settled = await Promise.allSettled(
      Array.from({ length: CALLERS }, (_, index) =>
        step(store(), (tx) => {
          tx.appendMessage(message(`msg_${index}`));
          if (index % 4 === 1) throw new Error('on purpose');
        }),
      ),
    );
    const failed = settled.filter(({ status }) => status === 'rejected');
    expect(failed).toHaveLength(CALLERS / 4);
    expect(failed).toMatchObject(failed.map(() => ({ reason: { message: 'on purpose' } })));
    const said = await store().read((r) => r.messages(C, { after: 0, limit: 99 }));
    expect(said.map(({ seq }) => seq)).toEqual(Array.from({ length: (CALLERS / 4) * 3 }, (_, index) => index + 1));
  });

  it('[STORE1] concurrent steps, transactions and reads are serialized', async () => {
    const all = Array.from({ length: CALLERS }, async (_, index) => {
      if (index % 3 === 0) return await write(store(), (tx) => tx.insertClient(client(`client_${index}`)));
      if (index % 3 === 1) return await step(store(), (tx) => tx.appendMessage(message(`msg_${index}`)));
      const [chat, messages] = await store().read(
        async (r) => [await r.chat(C), await r.messages(C, { after: 0, limit: 99 })] as const,
      );
      expect(messages).toHaveLength(chat?.lastSeq ?? -1);
      return undefined;
    });
    const places = (await Promise.all(all)).flatMap((said) => (said === undefined ? [] : [said.seq]));
    expect([...places].sort((a, b) => a - b)).toEqual(places.map((_, index) => index + 1));
    expect((await stateOf(store()))?.chat.lastSeq).toBe(places.length);
  });

  it('[STORE1] a step in several chats writes all of them', async () => {
    await addChats(store(), 'chat_2');
    const chats = [C, 'chat_2'];
    await step(
      store(),
      (tx) => {
        for (const chatId of chats) {
          tx.appendMessage(message(`msg_${chatId}`, { chatId }));
          tx.insertTurn(turn(`turn_${chatId}`, { chatId }));
        }
      },
      { chats },
    );
    const failing = step(
      store(),
      (tx) => {
        for (const chatId of chats) tx.fenceTurn(`turn_${chatId}`, { state: 'ended' });
        throw new Error('no');
      },
      { chats },
    );
    await expect(failing).rejects.toThrow('no');
    for (const chatId of chats) {
      expect(await stateOf(store(), chatId)).toMatchObject({ chat: { lastSeq: 1 } });
      expect(await store().read((r) => r.unfinishedTurns(chatId))).toMatchObject([{ state: 'open', epoch: 1 }]);
    }
    expect(await step(store(), (tx) => tx.countWorking())).toBe(2);
  });

  it('[STORE1] a read-only step that writes is rejected', async () => {
    const looking = step(store(), (tx) => tx.appendMessage(message('msg_1')), { chats: [C], isReadOnly: true });
    await expect(looking).rejects.toThrow('read-only step');
    expect(await stateOf(store(), C)).toMatchObject({ chat: { lastSeq: 0 } });
  });

  it('a step on a closed store is rejected', async () => {
    await store().close();
    await expect(step(store(), () => 1)).rejects.toMatchObject({ code: 'closed' });
  });
}
