import type { WorldSnapshot } from '../memory/world-snapshot.js';
import type { StoreReader } from '../ports/index.js';
import { denyApproval } from './deny-approval.js';
import { commit, type Runtime, type Step } from './runtime.js';

/** What a call is denied with that nobody can be asked about. */
export const UNATTENDED = 'nobody is there who could be asked, and this world denies what nobody can be asked about';

/** True where a call that must be asked is to be denied: the world says so, and no client that can ask a person is there (A13). */
export async function isUnattended(reader: StoreReader, { world }: WorldSnapshot): Promise<boolean> {
  if (world.settings.unattended !== 'deny') return false;
  return !(await reader.hasAsker(world.id));
}

/** The last client that could ask has left: what it was asked would wait for ever. */
export async function denyUnattended(runtime: Runtime, worldId: string): Promise<void> {
  const pending = await runtime.store.read(async (reader) => {
    const snapshot = await runtime.snapshots(reader, worldId);
    if (snapshot === undefined || !(await isUnattended(reader, snapshot))) return [];
    return await reader.approvals(worldId, { status: 'pending' });
  });
  for (const { id } of pending) {
    await commit(runtime, 'deny-unattended', worldId, (step) => deny(runtime, step, id));
  }
}

async function deny(runtime: Runtime, step: Step, approvalId: string): Promise<void> {
  const approval = await step.tx.approval(approvalId);
  const invocation = approval === undefined ? undefined : await step.tx.invocation(approval.invocationId);
  if (approval?.status !== 'pending' || invocation === undefined) return;
  const turn = await step.tx.turn(invocation.turnId);
  if (turn === undefined || turn.state === 'ended') return;
  if (!(await isUnattended(step.tx, step.snapshot))) return;
  const denied = { status: 'denied', reason: UNATTENDED, by: 'system' } as const;
  const error = `${invocation.toolName} was not run`;
  await denyApproval(runtime, step, { approval, invocation }, denied, error);
}
