import { expect, it } from 'vitest';
import type { Store } from '../../ports/index.js';
import { A, approval, C, invocation, message, named, step, stepWithEvents, turn, W, write } from './samples.js';
import { freshStore, type OpenStore } from './under-test.js';

const CALLERS = 24;

/** Many concurrent callers, on as many open stores as the database allows. */
export function describeConcurrency(open: OpenStore, canShare: boolean): void {
  const { store, another } = freshStore(open);

  async function everybody(): Promise<Store[]> {
    const stores = canShare ? [store(), await another(), await another()] : [store()];
    return Array.from({ length: CALLERS }, (_, index) => stores[index % stores.length] as Store);
  }

  it('[CALL8] of many concurrent starts of a call, exactly one succeeds', async () => {
    await step(store(), (tx) => {
      tx.insertTurn(turn('turn_1', { iteration: 1 }));
      tx.insertInvocation(invocation('call_1', { status: 'approved' }));
    });
    const started = await Promise.all(
      (await everybody()).map((one) =>
        step(one, (tx) => tx.changeInvocation('call_1', 'approved', { status: 'started' })),
      ),
    );
    expect(started.filter(Boolean)).toHaveLength(1);
  });

  it('[CALL8] of many concurrent decisions, exactly one counts', async () => {
    await step(store(), (tx) => tx.insertApproval(approval('approval_1')));
    const settled = await Promise.all(
      (await everybody()).map((one, index) =>
        step(one, (tx) =>
          tx.settleApproval('approval_1', {
            status: index % 2 === 0 ? 'approved' : 'denied',
            decision: index % 2 === 0 ? 'approve' : 'deny',
            scope: 'once',
            reason: null,
            decisionDigest: String(index),
            decidedBy: null,
          }),
        ),
      ),
    );
    const winner = settled.indexOf(true);
    expect(settled.filter(Boolean)).toHaveLength(1);
    expect(await store().read((r) => r.approval('approval_1'))).toMatchObject({ decisionDigest: String(winner) });
  });

  it('[STORE4.1] of many concurrent claims of a turn, exactly one succeeds, and only that process can write', async () => {
    await step(store(), (tx) => tx.insertTurn(turn('turn_1')));
    await Promise.all(
      (await everybody()).map((one, index) =>
        step(one, (tx) => {
          if (tx.turn('turn_1')?.epoch !== 1) return;
          tx.fenceTurn('turn_1', { owner: String(index) });
          tx.appendMessage(message(`msg_${index}`, { speaker: 'agent' }));
        }),
      ),
    );
    const said = await store().read((r) => r.messages(C, { after: 0, limit: 100 }));
    const stepped = await store().read((r) => r.turn('turn_1'));
    expect(said.map(({ id }) => id)).toEqual([`msg_${stepped?.owner}`]);
  });

  it('[WORLD11] of many attempts to open a turn of one agent, exactly one succeeds', async () => {
    const opened = await Promise.allSettled(
      (await everybody()).map((one, index) => step(one, (tx) => tx.insertTurn(turn(`turn_${index}`)))),
    );
    expect(opened.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await store().read((r) => r.unfinishedTurns(C))).toHaveLength(1);
  });

  it('[STORE6] messages, events and audit records of many writers are numbered without gaps or duplicates', async () => {
    const written = await Promise.all(
      (await everybody()).map((one, index) =>
        stepWithEvents(one, (tx) => {
          const said = tx.appendMessage(message(`msg_${index}`));
          tx.emit({ event: 'message', chatId: C, message: said });
          tx.emit({ event: 'system', chatId: null, data: { type: 'notice', message: String(index) } });
          tx.record({ kind: 'run', who: named(String(index)) });
          return said.seq;
        }),
      ),
    );
    const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
    const ascending = (a: number, b: number): number => a - b;
    expect(written.map(({ value }) => value).sort(ascending)).toEqual(numbers(CALLERS));
    expect(written.flatMap(({ events }) => events.map(({ id }) => id)).sort(ascending)).toEqual(numbers(2 * CALLERS));
    const log = await store().read((r) => r.events(W, { after: 0, limit: 1_000 }));
    expect(log.map(({ id }) => id)).toEqual(numbers(2 * CALLERS));
    expect(await store().verifyAudit(W)).toEqual({ ok: true, records: CALLERS });
  });

  it('[LOG1] records that other stores write after this one opened count as guarded', async () => {
    const others = (await everybody()).toReversed();
    for (const [written, one] of others.entries()) {
      await write(one, async (tx) => tx.record({ kind: 'run' }));
      expect(await store().verifyAudit(W)).toEqual({ ok: true, records: written + 1 });
    }
  });

  it('[STORE6] a reader of the log during concurrent writes never misses a number below one it has read', async () => {
    const writing = { isActive: true };
    const writers = Promise.all(
      (await everybody()).map((one, index) =>
        step(one, (tx) => {
          tx.appendMessage(message(`msg_${index}`));
          tx.emit({ event: 'system', chatId: C, data: { type: 'notice', message: String(index) } });
        }),
      ),
    ).finally(() => {
      writing.isActive = false;
    });
    const seen: number[] = [];
    const look = async (): Promise<void> => {
      const found = await store().read((r) => r.events(W, { after: seen.at(-1) ?? 0, limit: 3 }));
      seen.push(...found.map(({ id }) => id));
    };
    while (writing.isActive) await look();
    await writers;
    while (seen.length < CALLERS) await look();
    expect(seen).toEqual(Array.from({ length: CALLERS }, (_, index) => index + 1));
  });

  it('[WORLD11] a message that arrives while a turn ends is answered: one of the two opens its turn', async () => {
    const stores = await everybody();
    for (let round = 1; round <= 8; round += 1) {
      const [ending, speaking] = [stores[round % 3], stores[(round + 1) % 3]] as [Store, Store];
      await step(store(), (tx) => tx.insertTurn(turn(`turn_${round}`, { triggerSeq: round })));
      const next = `turn_${round}b`;
      await Promise.all([
        step(ending, (tx) => {
          tx.stepTurn({ id: `turn_${round}`, chatId: C, epoch: 1 }, { state: 'ended' });
          const queued = tx.nextQueuedTurn(C, A);
          if (queued !== undefined) tx.stepTurn(queued, { state: 'open' });
        }),
        step(speaking, (tx) => {
          const said = tx.appendMessage(message(`msg_${round}`));
          const busy = tx.currentTurn(C, A);
          tx.insertTurn(turn(next, { state: busy === undefined ? 'open' : 'queued', triggerSeq: said.seq }));
        }),
      ]);
      const opened = await store().read((r) => r.turn(next));
      expect(opened?.state).toBe('open');
      await step(store(), (tx) => tx.fenceTurn(next, { state: 'ended' }));
    }
  });
}
