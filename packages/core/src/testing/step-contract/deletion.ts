import { expect, it } from 'vitest';
import { A, approval, B, C, chat, grant, invocation, message, turn, W } from '../store-contract/samples.js';
import { freshStore, type OpenStore } from '../store-contract/under-test.js';
import { stateOf, step, stepWithEvents } from './support.js';

/** Deletion of chats, agents and worlds. */
export function describeDeletion(open: OpenStore): void {
  const { store } = freshStore(open);
  const fill = () =>
    step(store(), (tx) => {
      tx.emit({ event: 'message', chatId: C, message: tx.appendMessage(message('msg_1')) });
      tx.insertTurn(turn('turn_1', { iteration: 1 }));
      tx.insertInvocation(invocation('call_1'));
      tx.insertApproval(approval('approval_1'));
      tx.giveGrant(grant('grant_1'), '');
      tx.record({ kind: 'run' });
    });

  it('deleting a chat deletes all its data, including earlier writes of the same step', async () => {
    await fill();
    await step(store(), (tx) => {
      tx.createChat(chat('chat_2'));
      tx.insertTurn(turn('turn_2', { chatId: 'chat_2' }));
    });
    const needs = { chats: [C, 'chat_2'] };
    const { events } = await stepWithEvents(
      store(),
      (tx) => {
        tx.appendMessage(message('msg_2'));
        tx.fenceTurn('turn_1', { state: 'ended' });
        tx.insertTurn(turn('turn_3'));
        tx.deleteChat(C);
        tx.emit({ event: 'system', chatId: null, data: { type: 'notice', message: 'gone' } });
        tx.record({ kind: 'stop' });
      },
      needs,
    );
    expect(events.map(({ id }) => id)).toEqual([2]);
    expect(await stateOf(store())).toBeUndefined();
    expect(await step(store(), (tx) => tx.countWorking(), needs)).toBe(1);
    await store().read(async (r) => {
      expect(await r.chat(C)).toBeUndefined();
      expect([await r.message('msg_1'), await r.message('msg_2')]).toEqual([undefined, undefined]);
      expect([await r.turn('turn_1'), await r.turn('turn_3')]).toEqual([undefined, undefined]);
      expect(await r.invocation('call_1')).toBeUndefined();
      expect(await r.approval('approval_1')).toBeUndefined();
      expect(await r.grant('grant_1')).toBeUndefined();
      expect(await r.chat('chat_2')).toBeDefined();
      expect((await r.events(W, { after: 0, limit: 9 })).map(({ id }) => id)).toEqual([2]);
    });
    expect(await store().verifyAudit(W)).toEqual({ ok: true, records: 2 });
    await step(store(), (tx) => tx.createChat(chat(C)), { chats: [] });
    expect(await stateOf(store())).toMatchObject({ chat: { lastSeq: 0 } });
  });

  it('[CALL17.4] the id of a deleted agent stays reserved', async () => {
    await step(store(), (tx) => {
      tx.insertTurn(turn('turn_1', { agentId: B }));
      tx.fenceTurn('turn_1', { state: 'ended', outcome: 'stopped' });
      tx.removeAgent(B);
    });
    await store().read(async (r) => {
      expect((await r.agents(W)).map(({ id }) => id)).toEqual([A]);
      expect(await r.agentIdTaken(W, B)).toBe(true);
      expect(await r.turn('turn_1')).toMatchObject({ state: 'ended' });
    });
  });

  it('[LOG1] deleting a world deletes its chats, reserves its id and keeps its audit log', async () => {
    await fill();
    const { events } = await stepWithEvents(store(), (tx) => {
      tx.fenceTurn('turn_1', { state: 'ended' });
      tx.deleteWorld();
      tx.emit({ event: 'system', chatId: null, data: { type: 'notice', message: 'gone' } });
      tx.record({ kind: 'stop' });
    });
    expect(events.map(({ id }) => id)).toEqual([2]);
    expect(await stateOf(store())).toBeUndefined();
    const rev = await store().step(W, { chats: [] }, (reads) => ({ value: reads.worldRev, writes: nothing }));
    expect(rev.value).toBeUndefined();
    expect(await step(store(), (tx) => tx.countWorking())).toBe(0);
    await store().read(async (r) => {
      expect(await r.world(W)).toBeUndefined();
      expect(await r.worldIdTaken(W)).toBe(true);
      expect(await r.turn('turn_1')).toBeUndefined();
      expect(await r.agents(W)).toEqual([]);
    });
    expect(await store().verifyAudit(W)).toEqual({ ok: true, records: 2 });
  });
}

const nothing = { changes: [], emissions: [], records: [], wakes: [] };
