import { describe, expect, it } from 'vitest';
import { agent, client, say, W, write } from './samples.js';
import { freshStore, type OpenStore } from './under-test.js';

/** Changes to a world. The step contract covers chats. */
export function describeTransactions(open: OpenStore): void {
  const { store } = freshStore(open);
  const ids = (records: readonly { id: string }[]): string[] => records.map(({ id }) => id);

  describe('a transaction', () => {
    it('[STORE1] is atomic', async () => {
      await say(store(), 'msg_1');
      const failure = new Error('thought better of it');
      const failing = store().transact(W, async (tx) => {
        await tx.insertClient(client('client_1'));
        await tx.updateWorld(W, { name: 'Desert' });
        tx.emit({ event: 'system', chatId: null, data: { type: 'notice', message: 'lost' } });
        tx.record({ kind: 'stop', why: 'lost' });
        throw failure;
      });
      await expect(failing).rejects.toBe(failure);
      await store().read(async (r) => {
        expect(await r.client('client_1')).toBeUndefined();
        expect(await r.world(W)).toMatchObject({ name: 'Garden', rev: 3 });
        expect(await r.events(W, { after: 0, limit: 10 })).toHaveLength(1);
        expect(await r.audit(W, { after: 0, limit: 10 })).toEqual([]);
      });
      expect((await say(store(), 'msg_3')).seq).toBe(2);
      expect(await store().read((r) => r.lastEventId(W))).toBe(2);
      await write(store(), async (tx) => tx.record({ kind: 'stop' }));
      expect(await store().verifyAudit(W)).toEqual({ ok: true, records: 1 });
    });

    it('[STORE1] is rolled back if a statement failed, even if the error was caught', async () => {
      const stubborn = write(store(), async (tx) => {
        await tx.insertClient(client('client_1'));
        await tx.insertClient(client('client_1')).catch(() => undefined);
      });
      await expect(stubborn).rejects.toMatchObject({ code: 'conflict' });
      expect(await store().read((r) => r.client('client_1'))).toBeUndefined();
    });

    it('[STORE1] is rolled back completely if one of several concurrent statements fails', async () => {
      await write(store(), (tx) => tx.insertClient(client('client_1')));
      let sent: Promise<unknown>[] = [];
      const failing = write(store(), async (tx) => {
        sent = ['client_1', 'client_2', 'client_3', 'client_4'].map((id) => tx.insertClient(client(id)));
        await Promise.all(sent);
      });
      await expect(failing).rejects.toMatchObject({ code: 'conflict' });
      await Promise.allSettled(sent);
      expect(ids(await store().read((r) => r.clients(W)))).toEqual(['client_1']);
    });

    it('sees its own writes; others see them after the commit', async () => {
      let early: Promise<unknown> | undefined;
      await write(store(), async (tx) => {
        await tx.updateWorld(W, { name: 'Desert' });
        expect(await tx.world(W)).toMatchObject({ name: 'Desert' });
        await tx.insertClient(client('client_1'));
        early = store().read(async (r) => [(await r.world(W))?.name, (await r.clients(W)).length]);
      });
      // The read ran before or after the commit, never in between.
      expect([
        ['Garden', 0],
        ['Desert', 1],
      ]).toContainEqual(await early);
      expect(await store().read((r) => r.client('client_1'))).toBeDefined();
    });

    it('has a single timestamp', async () => {
      await write(store(), async (tx) => {
        const now = tx.now();
        expect((await tx.insertAgent(W, 'cat', agent)).createdAt).toBe(now);
        expect(tx.now()).toBe(now);
        expect(Number.isInteger(now)).toBe(true);
      });
    });

    it('can’t be used after it ended', async () => {
      const kept = await write(store(), async (tx) => tx);
      await expect(kept.insertClient(client('client_1'))).rejects.toThrow('after it ended');
    });

    it('without emissions needs no world, and one with emissions reports the missing world', async () => {
      expect((await store().transact('nowhere', async (tx) => tx.world('nowhere'))).events).toEqual([]);
      const speaking = store().transact('nowhere', async (tx) => tx.record({ kind: 'stop' }));
      await expect(speaking).rejects.toMatchObject({ code: 'not-found' });
    });

    it('is rejected by a closed store', async () => {
      await store().close();
      await expect(write(store(), async () => 1)).rejects.toMatchObject({ code: 'closed' });
      await expect(store().read(async () => 1)).rejects.toMatchObject({ code: 'closed' });
    });
  });

  it('[CALL16] a client disconnects, reconnects and is deleted', async () => {
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
}
