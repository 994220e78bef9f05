import { randomBytes } from 'node:crypto';
import type { Store } from '@countersign/core/ports';
import { CountersignError } from '@countersign/protocol';
import type { HeadKeeper } from './audit/head-keeper.js';
import { verifyChain } from './audit/verify-chain.js';
import type { Engine } from './engine.js';

export type HashAt = (worldId: string, seq: number) => Promise<string | undefined>;

/** The store over either database. */
export async function createStore(
  engine: Engine,
  keepHeads: (hashAt: HashAt) => Promise<HeadKeeper> | HeadKeeper,
): Promise<Store> {
  const hashKey = await hashKeyOf(engine);
  const heads = await keepHeads((worldId, seq) =>
    engine.read(async ({ upkeep }) => {
      const [row] = await upkeep.auditRows(worldId, seq - 1, 1);
      return row?.seq === seq ? row.hash : undefined;
    }),
  );
  let closing: Promise<void> | undefined;

  const assertOpen = (): void => {
    if (closing !== undefined) throw new CountersignError('closed', 'The store is closed.');
  };

  return {
    hashKey,
    async transact(worldId, work) {
      assertOpen();
      const { value, events, head, added } = await engine.write(async ({ tx, finish }) => {
        const value = await work(tx);
        return { value, ...(await finish(worldId)) };
      });
      if (head !== undefined) heads.moved(worldId, head, added);
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
