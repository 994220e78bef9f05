import { randomBytes } from 'node:crypto';
import type { Store } from '@countersign/core/ports';
import { CountersignError } from '@countersign/protocol';
import type { Chains, HeadKeeper } from './audit/head-keeper.js';
import { verifyChain } from './audit/verify-chain.js';
import type { Engine } from './engine.js';

/** The store over either database. */
export async function createStore(
  engine: Engine,
  keepHeads: (chains: Chains) => Promise<HeadKeeper> | HeadKeeper,
): Promise<Store> {
  const hashKey = await hashKeyOf(engine);
  const heads = await keepHeads({
    hashAt: (worldId, seq) =>
      engine.read(async ({ upkeep }) => {
        const [row] = await upkeep.auditRows(worldId, seq - 1, 1);
        return row?.seq === seq ? row.hash : undefined;
      }),
    heads: () => engine.read(async ({ upkeep }) => upkeep.auditHeads()),
  });
  let closing: Promise<void> | undefined;

  const assertOpen = (): void => {
    if (closing !== undefined) throw new CountersignError('closed', 'The store is closed.');
  };

  return {
    hashKey,
    async transact(worldId, work, kept) {
      assertOpen();
      const { value, events, head } = await engine.write(
        async ({ tx, finish }) => {
          const value = await work(tx);
          return { value, ...(await finish(worldId)) };
        },
        (result) => kept?.(result.events),
      );
      if (head !== undefined) heads.moved(worldId, head);
      return { value, events };
    },
    async step(worldId, needs, decide, kept) {
      assertOpen();
      const { value, events, head } = await engine.step(worldId, needs, decide, kept);
      if (head !== undefined) heads.moved(worldId, head);
      return { value, events };
    },
    async read(work) {
      assertOpen();
      return engine.read(({ tx }) => work(tx));
    },
    async verifyAudit(worldId) {
      assertOpen();
      await heads.flush();
      return engine.read(({ upkeep }) => verifyChain(worldId, upkeep, heads.get(worldId)));
    },
    close() {
      closing ??= engine.close().then(() => heads.flush());
      return closing;
    },
  };
}

/** Made by the first process that opens the store and the same ever after: a signature must hold after a restart (A7). */
function hashKeyOf(engine: Engine): Promise<Uint8Array> {
  return engine.write(async ({ upkeep }) => {
    const known = await upkeep.meta('hash-key');
    if (known !== undefined) return Buffer.from(known, 'hex');
    await upkeep.insertMeta('hash-key', randomBytes(32).toString('hex'));
    return Buffer.from((await upkeep.meta('hash-key')) ?? '', 'hex');
  });
}
