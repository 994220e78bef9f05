import { commit, ignoreNotFound } from '../step/commit.js';
import type { Runtime } from '../step/runtime.js';

/** After a change of people, groups or delegations: tells clients to reload who can sign the calls that wait for certain people (SIGN1.10). */
export async function announceSigners(runtime: Runtime): Promise<void> {
  const { now, waiting } = await runtime.store.read(async (reader) => {
    const found = [];
    for (const { id } of await reader.worlds()) {
      const approvals = (await reader.approvals(id, { status: 'pending' })).filter(({ signing }) => signing !== null);
      if (approvals.length > 0) found.push({ worldId: id, approvals });
    }
    return { now: reader.now(), waiting: found };
  });
  for (const { worldId, approvals } of waiting) {
    const announced = commit(runtime, 'signers', worldId, { chats: [] }, ({ tx }) =>
      tx.write({ kind: 'signers-changed', approvals }),
    );
    await ignoreNotFound(announced);
  }
  runtime.background.onWaiting();
  await runtime.background.watchDelegations(now);
}
