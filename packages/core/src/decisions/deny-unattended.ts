import { denyApproval } from './deny-approval.js';
import { commit, type Runtime, type Step } from '../step/runtime.js';
import { isUnattended, UNATTENDED } from '../calls/unattended.js';

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
