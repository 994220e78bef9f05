import type { Signer } from '@countersign/protocol';
import type { StoreTransaction } from '../ports/index.js';
import { changeWorld, ignoreNotFound } from '../step/commit.js';
import type { Runtime } from '../step/runtime.js';
import { writeFact } from '../step/write-fact.js';

/** The audit record of a change. Never contains a key. */
export interface ProviderChangeRecord {
  decision: 'provider added' | 'provider changed' | 'provider removed';
  why: string;
}

/**
 * Changes the store's providers, and records the change in the audit log of every world, because all of them can use the providers (LOG1). The first
 * record is committed together with the change.
 */
export async function changeProviders<T>(
  runtime: Runtime,
  signer: Signer,
  work: (tx: StoreTransaction) => Promise<{ value: T; record: ProviderChangeRecord | undefined }>,
): Promise<T> {
  const worlds = (await runtime.store.read((reader) => reader.worlds())).map(({ id }) => id);
  let changed: { value: T; record: ProviderChangeRecord | undefined } | undefined;
  const [first, ...others] = worlds;
  if (first !== undefined) {
    changed = await ignoreNotFound(
      changeWorld(runtime, 'change-providers', first, async ({ tx }) => {
        const done = await work(tx);
        if (done.record !== undefined) await record(tx, done.record, signer);
        return done;
      }),
    );
  }
  // There is no world, or it has been deleted in the meantime.
  changed ??= (await runtime.store.transact('', work)).value;
  const { record: done, value } = changed;
  if (done === undefined) return value;
  for (const id of others) {
    // The change is committed: a failure here must not report it as failed.
    await ignoreNotFound(changeWorld(runtime, 'change-providers', id, ({ tx }) => record(tx, done, signer))).catch(
      (error: unknown) => runtime.report(error, 'failed to record a provider change', { worldId: id }),
    );
  }
  return value;
}

async function record(tx: StoreTransaction, change: ProviderChangeRecord, by: Signer): Promise<void> {
  await writeFact(tx, { kind: 'providers-changed', ...change, by });
}

/** Lists the agents that use a provider, with their worlds, for the person who removes it. */
export async function agentsUsing(runtime: Runtime, provider: string): Promise<string[]> {
  return await runtime.store.read(async (reader) => {
    const found: string[] = [];
    for (const world of await reader.worlds()) {
      const agents = await reader.agents(world.id);
      const using = agents.filter(({ definition }) => definition.provider === provider);
      found.push(...using.map(({ definition }) => `${definition.name} (${world.name})`));
    }
    return found;
  });
}
