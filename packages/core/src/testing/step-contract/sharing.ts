import { expect, it } from 'vitest';
import { RowTransaction } from '../row-transaction.js';
import type { Store } from '../../ports/index.js';
import { A, addChats, approval, B, C, message, named, turn, W, write } from '../store-contract/samples.js';
import { freshStore, type OpenStore } from '../store-contract/under-test.js';
import { stateOf, step } from './support.js';

const CALLERS = 24;

/** Steps by several processes on the same data. */
export function describeSharing(open: OpenStore): void {
  const { store, another } = freshStore(open);

  async function everybody(): Promise<Store[]> {
    const stores = [store(), await another()];
    return Array.from({ length: CALLERS }, (_, index) => stores[index % stores.length] as Store);
  }

  it('[STORE4] steps of one chat never overlap, and no write is lost', async () => {
    await step(store(), (tx) => tx.insertTurn(turn('turn_1')));
    const said = await Promise.all(
      (await everybody()).map((one, index) =>
        step(one, (tx) => {
          const now = tx.turn('turn_1') ?? turn('turn_1');
          expect(tx.stepTurn(now, { iteration: now.iteration + 1 })).toBe(true);
          const written = tx.appendMessage(message(`msg_${index}`));
          tx.emit({ event: 'message', chatId: C, message: written });
          tx.record({ kind: 'run', who: named(String(index)) });
          return written.seq;
        }),
      ),
    );
    const places = Array.from({ length: CALLERS }, (_, index) => index + 1);
    expect([...said].sort((a, b) => a - b)).toEqual(places);
    expect((await stateOf(store()))?.turns.get('turn_1')).toMatchObject({ iteration: CALLERS });
    const log = await store().read((r) => r.events(W, { after: 0, limit: 99 }));
    expect(log.map(({ id }) => id)).toEqual(places);
    expect(await store().verifyAudit(W)).toEqual({ ok: true, records: CALLERS });
  });

  it('[STORE4] steps that name the same chats in a different order do not deadlock', async () => {
    await addChats(store(), 'chat_2', 'chat_0');
    const chats = [C, 'chat_2', 'chat_0'];
    await Promise.all(
      (await everybody()).map((one, index) =>
        step(
          one,
          (tx) => {
            for (const chatId of chats) tx.appendMessage(message(`msg_${chatId}_${index}`, { chatId }));
          },
          { chats: index % 2 === 0 ? chats : chats.toReversed() },
        ),
      ),
    );
    for (const id of chats) expect((await stateOf(store(), id))?.chat.lastSeq).toBe(CALLERS);
  });

  it('[TURN6] a process whose turn was taken over writes nothing', async () => {
    const held = turn('turn_1', { owner: 'me' });
    await step(store(), (tx) => tx.insertTurn(held));
    const other = await another();
    expect(await step(other, (tx) => tx.fenceTurn('turn_1', { owner: 'other' }))).toMatchObject({ epoch: 2 });
    expect(await step(store(), (tx) => tx.stepTurn(held, { iteration: 1 }))).toBe(false);
    expect(await store().read((r) => r.turn('turn_1'))).toMatchObject({ owner: 'other', iteration: 0 });
  });

  it('[STORE4] a step can tell whether another process wrote to its chat, even after a retry', async () => {
    const other = await another();
    const says = async (one: Store, id: string): Promise<boolean> => {
      const { value } = await one.step(W, { chats: [C] }, (reads) => {
        const tx = new RowTransaction(W, { chats: [C] }, reads);
        tx.appendMessage(message(id));
        return { value: reads.wroteElsewhere(C), writes: tx.writes() };
      });
      return value;
    };
    await says(store(), 'msg_1');
    expect(await says(store(), 'msg_2')).toBe(false);
    await says(other, 'msg_3');
    expect(await says(store(), 'msg_4')).toBe(true);
    expect(await says(store(), 'msg_5')).toBe(false);
    expect(await says(other, 'msg_6')).toBe(true);
  });

  it('[CALL14] a step is retried if the world has changed since it was read', async () => {
    const other = await another();
    const before = (await store().read((r) => r.worldRev(W))) ?? 0;
    const revs: (number | undefined)[] = [];
    let stepping: Promise<unknown> = Promise.resolve();
    await write(other, async (tx) => {
      // From here on, the other process holds the lock on the world's row, and its writes are not visible.
      await tx.updateWorld(W, { policy: ['deny *'] });
      await new Promise<void>((resolve) => {
        stepping = store().step(W, { chats: [C] }, ({ worldRev, now }) => {
          revs.push(worldRev);
          resolve();
          const said = { ...message(`msg_${revs.length}`), seq: 1, createdAt: now };
          const changes = [{ kind: 'message-written', message: said }] as const;
          return { value: undefined, writes: { changes, emissions: [], records: [], wakes: [] } };
        });
      });
    });
    await stepping;
    expect(revs).toEqual([before, before + 1]);
    const said = await store().read((r) => r.messages(C, { after: 0, limit: 9 }));
    expect(said.map(({ id }) => id)).toEqual(['msg_2']);
  });

  it('[CALL19] an agent’s pending approvals never exceed the limit, whichever process adds them', async () => {
    const chats = Array.from({ length: CALLERS }, (_, index) => `chat_${index}_`);
    await addChats(store(), ...chats);
    const most = 5;
    const asked = await Promise.all(
      (await everybody()).map((one, index) => {
        const chatId = chats[index] ?? C;
        return step(
          one,
          (tx) => {
            const pending = tx.pendingOf(A).reduce((sum, { waiting }) => sum + waiting, 0);
            if (pending >= most) return false;
            tx.insertApproval(approval(`approval_${index}`, { chatId }));
            tx.insertApproval(approval(`approval_${index}b`, { chatId, agentId: B }));
            tx.limitPending(A, most);
            return true;
          },
          { chats: [chatId], pendingOf: A },
        );
      }),
    );
    expect(asked.filter(Boolean)).toHaveLength(most);
    const pending = await step(store(), (tx) => tx.pendingOf(A), { pendingOf: A });
    expect(pending.reduce((sum, { waiting }) => sum + waiting, 0)).toBe(most);
  });
}
