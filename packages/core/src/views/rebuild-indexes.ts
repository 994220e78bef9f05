import { keyOfPattern } from '../policy/index.js';
import { noWorld } from '../step/look-up.js';
import { readTruth } from './rebuild/read-truth.js';
import { rebuildApprovals, rebuildGrants } from './rebuild/rebuild-approvals.js';
import { rebuildInvocations } from './rebuild/rebuild-invocations.js';
import { rebuildTurns } from './rebuild/rebuild-turns.js';
import type { Runtime } from '../step/runtime.js';
import { ruleDigest } from '../calls/write-approval.js';

/**
 * Makes the rows that only serve look-ups (turns, calls, approvals, grants) anew from messages and lifecycle events, which are
 * the truth (A9). For a store whose index rows were lost or damaged; nothing may run meanwhile. What a process alone knows, such
 * as who holds a turn and how often it was interrupted, starts from nothing.
 */
export async function rebuildIndexes(runtime: Runtime, worldId: string): Promise<void> {
  await runtime.store.transact(worldId, async (tx) => {
    const world = await tx.world(worldId);
    if (world === undefined) throw noWorld(worldId);
    const truth = await readTruth(tx, worldId);
    const rules = [world.policy, ...(await tx.agents(worldId)).map(({ definition }) => definition.policy)].flat();
    const byDigest = new Map(rules.map((rule) => [ruleDigest(runtime, rule), rule]));
    const approvals = rebuildApprovals(truth, (digest) => byDigest.get(digest));
    const invocations = rebuildInvocations(truth, approvals, runtime.tools(worldId));
    await tx.clearIndexes(worldId);
    for (const turn of rebuildTurns(truth, invocations, world.settings)) await tx.insertTurn(turn);
    for (const invocation of invocations) await tx.insertInvocation(invocation);
    for (const { approval } of approvals) await tx.insertApproval(approval);
    for (const grant of rebuildGrants(approvals, truth)) await tx.insertGrant(grant, keyOfPattern(grant.pattern));
  });
}
