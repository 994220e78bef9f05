import { denyApproval } from './deny-approval.js';
import type { StepNeeds } from '../ports/index.js';
import { commit, look, type Runtime, type Step } from '../step/runtime.js';
import { isUnattended, UNATTENDED } from '../calls/unattended.js';

/** The last client that could ask has left: what it was asked would wait for ever. */
export async function denyUnattended(runtime: Runtime, worldId: string): Promise<void> {
  const isAlone = await look(runtime, worldId, NEEDS, ({ tx, snapshot }) => isUnattended(tx, snapshot));
  if (!isAlone) return;
  const pending = await runtime.store.read((reader) => reader.approvals(worldId, { status: 'pending' }));
  for (const { id, chatId } of pending) {
    await commit(runtime, 'deny-unattended', worldId, { ...NEEDS, chats: [chatId] }, (step) => deny(runtime, step, id));
  }
}

const NEEDS: StepNeeds = { chats: [], asker: true };

function deny(runtime: Runtime, step: Step, approvalId: string): void {
  const approval = step.tx.approval(approvalId);
  const invocation = approval === undefined ? undefined : step.tx.invocation(approval.invocationId);
  if (approval === undefined || invocation === undefined) return;
  if (step.tx.turn(invocation.turnId) === undefined || !isUnattended(step.tx, step.snapshot)) return;
  const denied = { status: 'denied', reason: UNATTENDED, by: 'system' } as const;
  const error = `${invocation.toolName} was not run`;
  denyApproval(runtime, step, { approval, invocation }, denied, error);
}
