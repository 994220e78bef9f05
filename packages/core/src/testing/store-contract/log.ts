import { describe, expect, it } from 'vitest';
import {
  addChats,
  approval,
  C,
  client,
  grant,
  HOSTILE,
  invocation,
  message,
  named,
  recordThree,
  say,
  settings,
  step,
  stepWithEvents,
  turn,
  W,
  write,
} from './samples.js';
import { freshStore, type OpenStore } from './under-test.js';

/** Events, the audit log, and which of them deletion keeps. */
export function describeLog(open: OpenStore): void {
  const { store } = freshStore(open);
  const all = { after: 0, limit: 1_000 };

  describe('events', () => {
    it('[STORE6] are read in order, as they were returned, for a world or for one chat', async () => {
      await addChats(store(), 'chat_2');
      const { events } = await stepWithEvents(store(), (tx) => {
        const said = tx.appendMessage(message('msg_1', { content: HOSTILE }));
        tx.emit({ event: 'message', chatId: C, message: said });
        tx.emit({ event: 'system', chatId: 'chat_2', data: { type: 'notice', message: HOSTILE } });
        tx.emit({ event: 'crud', chatId: null, data: { operation: 'create', entity: 'chat', id: 'chat_2' } });
        tx.emit({ event: 'system', chatId: C, data: { type: 'notice', message: '' } });
      });
      expect(events.map(({ id, worldId }) => [id, worldId])).toEqual([1, 2, 3, 4].map((id) => [id, W]));
      await store().read(async (r) => {
        expect(await r.events(W, all)).toStrictEqual(events);
        expect(await r.events(W, { after: 1, limit: 2 })).toStrictEqual(events.slice(1, 3));
        expect(await r.events(W, { ...all, chatId: C })).toStrictEqual([events[0], events[3]]);
        expect(await r.events(W, { after: 1, limit: 9, chatId: C })).toStrictEqual([events[3]]);
        expect(await r.events('elsewhere', { ...all, chatId: C })).toEqual([]);
        expect(await r.lastEventId(W)).toBe(4);
      });
    });

    it('each world has its own numbering', async () => {
      await write(store(), (tx) => tx.insertWorld({ id: 'other', name: 'O', settings, policy: [] }), 'other');
      await say(store(), 'msg_1');
      const notice = { event: 'system', chatId: null, data: { type: 'notice', message: 'x' } } as const;
      const { events } = await store().transact('other', async (tx) => tx.emit(notice));
      expect(events.map(({ id }) => id)).toEqual([1]);
    });
  });

  describe('the audit log', () => {
    it('[LOG1] contains every record with its time and world, and verifies', async () => {
      await recordThree(store());
      const entries = await store().read((r) => r.audit(W, all));
      expect(entries.map(({ seq, who, worldId }) => [seq, who?.name, worldId])).toEqual([
        [1, 'first', W],
        [2, 'second', W],
        [3, 'third', W],
      ]);
      expect(entries[0]).toMatchObject({ kind: 'run', previousHash: '', arguments: { b: HOSTILE } });
      expect(entries[0]?.at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      expect(entries[1]?.previousHash).toBe(entries[0]?.hash);
      expect(await store().read((r) => r.audit(W, { after: 1, limit: 1 }))).toEqual([entries[1]]);
      expect(await store().read((r) => r.lastAudit(W, { limit: 10 }))).toEqual(entries.toReversed());
      expect(await store().read((r) => r.lastAudit(W, { before: 2, limit: 1 }))).toEqual([entries[0]]);
      expect(await store().verifyAudit(W)).toEqual({ ok: true, records: 3 });
      expect(await store().verifyAudit('elsewhere')).toEqual({ ok: true, records: 0 });
    });

    it('[LOG1.2] survives the deletion of its world', async () => {
      await recordThree(store());
      await step(store(), (tx) => {
        tx.deleteWorld();
        tx.record({ kind: 'policy', why: 'world deleted' });
      });
      expect(await store().read((r) => r.audit(W, all))).toHaveLength(4);
      expect(await store().verifyAudit(W)).toEqual({ ok: true, records: 4 });
    });

    it('[LOG1.2] a chain longer than a page verifies', async () => {
      await write(store(), async (tx) => {
        for (let i = 0; i < 1_203; i += 1) tx.record({ kind: 'run', who: named(String(i)) });
      });
      expect(await store().verifyAudit(W)).toEqual({ ok: true, records: 1_203 });
    });
  });

  describe('deletion', () => {
    async function fill(chatId: string, suffix: string): Promise<void> {
      await say(store(), `msg_${suffix}`, { chatId });
      await step(
        store(),
        (tx) => {
          tx.insertTurn(turn(`turn_${suffix}`, { chatId }));
          tx.insertInvocation(invocation(`call_${suffix}`, { chatId, turnId: `turn_${suffix}` }));
          tx.insertApproval(approval(`approval_${suffix}`, { chatId }));
          tx.giveGrant(grant(`grant_${suffix}`, { chatId }), '');
          tx.record({ kind: 'request', chatId });
        },
        { chats: [chatId] },
      );
    }
    const left = (suffix: string) =>
      store().read(async (r) => [
        await r.message(`msg_${suffix}`),
        await r.turn(`turn_${suffix}`),
        await r.invocation(`call_${suffix}`),
        await r.approval(`approval_${suffix}`),
        await r.grant(`grant_${suffix}`),
      ]);
    const nothing = [undefined, undefined, undefined, undefined, undefined];

    it('deleting a chat deletes its data and keeps other chats and the audit log', async () => {
      await addChats(store(), 'chat_2');
      await fill(C, 'a');
      await fill('chat_2', 'b');
      await step(store(), (tx) => tx.deleteChat(C));
      expect(await left('a')).toEqual(nothing);
      expect((await left('b')).every((record) => record !== undefined)).toBe(true);
      await store().read(async (r) => {
        expect(await r.chat(C)).toBeUndefined();
        expect((await r.events(W, all)).map(({ chatId }) => chatId)).toEqual(['chat_2']);
        expect(await r.audit(W, all)).toHaveLength(2);
      });
    });

    it('deleting a world deletes its data; its last events are still returned', async () => {
      await fill(C, 'a');
      await write(store(), (tx) => tx.insertClient(client('client_1')));
      const gone = { operation: 'delete', entity: 'world', id: W } as const;
      const { events } = await stepWithEvents(store(), (tx) => {
        tx.deleteWorld();
        tx.emit({ event: 'crud', chatId: null, data: gone });
      });
      expect(await left('a')).toEqual(nothing);
      await store().read(async (r) => {
        expect(await r.worlds()).toEqual([]);
        expect(await r.worldRev(W)).toBeUndefined();
        expect(await r.agents(W)).toEqual([]);
        expect(await r.chats(W)).toEqual([]);
        expect(await r.client('client_1')).toBeUndefined();
        expect(await r.events(W, all)).toStrictEqual(events);
        expect(await r.audit(W, all)).toHaveLength(1);
      });
    });
  });
}
