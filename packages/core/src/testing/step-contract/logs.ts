import { expect, it } from 'vitest';
import { C, HOSTILE, message, named, W, write } from '../store-contract/samples.js';
import { freshStore, type OpenStore } from '../store-contract/under-test.js';
import { step, stepWithEvents } from './support.js';

/** Event numbers and the audit hash chain, in steps and in transactions. */
export function describeLogs(open: OpenStore): void {
  const { store } = freshStore(open);
  const notice = (text: string) => ({ event: 'system', chatId: C, data: { type: 'notice', message: text } }) as const;

  it('[STORE6] events are numbered without gaps or duplicates, and returned as they are stored', async () => {
    const first = await stepWithEvents(store(), (tx) => {
      tx.emit({ event: 'message', chatId: C, message: tx.appendMessage(message('msg_1', { content: HOSTILE })) });
      tx.emit(notice(HOSTILE));
    });
    await store().transact(W, async (tx) => tx.emit({ ...notice('between'), chatId: null }));
    const second = await stepWithEvents(store(), (tx) => {
      for (let index = 0; index < 20; index += 1) tx.emit(notice(String(index)));
    });
    expect(first.events.map(({ id }) => id)).toEqual([1, 2]);
    expect(second.events.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, index) => index + 4));
    const log = await store().read((r) => r.events(W, { after: 0, limit: 99 }));
    expect(log).toHaveLength(23);
    expect(log.slice(0, 2)).toStrictEqual(first.events);
    expect(log.slice(3)).toStrictEqual(second.events);
    expect(await store().read((r) => r.lastEventId(W))).toBe(23);
  });

  it('[LOG1.2] audit records are chained across steps and transactions', async () => {
    for (let round = 0; round < 3; round += 1) {
      await step(store(), (tx) => {
        for (let index = 0; index < 9; index += 1) {
          tx.record({ kind: 'run', who: named(`step ${round}`), arguments: { b: HOSTILE, a: [1, { d: 1, c: 2 }] } });
        }
      });
      await write(store(), async (tx) => tx.record({ kind: 'stop', who: named('transaction') }));
    }
    expect(await store().verifyAudit(W)).toEqual({ ok: true, records: 30 });
    const [record] = await store().read((r) => r.audit(W, { after: 0, limit: 1 }));
    expect(record).toMatchObject({ worldId: W, who: named('step 0'), kind: 'run', seq: 1 });
  });

  it('[STORE6] [LOG1] concurrent writes are numbered and chained', async () => {
    const told = await Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        if (index % 2 === 0) {
          return await stepWithEvents(store(), (tx) => {
            tx.emit(notice(String(index)));
            tx.record({ kind: 'run', who: named(String(index)) });
          });
        }
        return await store().transact(W, async (tx) => {
          tx.emit(notice(String(index)));
          tx.record({ kind: 'run', who: named(String(index)) });
        });
      }),
    );
    const numbers = told.flatMap(({ events }) => events.map(({ id }) => id));
    expect([...numbers].sort((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
    expect(await store().verifyAudit(W)).toEqual({ ok: true, records: 12 });
  });

  it('a step without emissions needs no world, and one with emissions reports the missing world', async () => {
    expect((await stepWithEvents(store(), () => 1, { chats: [] }, 'nowhere')).events).toEqual([]);
    const speaking = step(store(), (tx) => tx.record({ kind: 'stop' }), { chats: [] }, 'nowhere');
    await expect(speaking).rejects.toMatchObject({ code: 'not-found' });
  });
}
