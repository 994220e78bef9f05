import { SYSTEM } from '@countersign/protocol';
import { settleCall } from '../call/settle.js';
import { denyApproval } from '../decisions/deny-approval.js';
import { commit, ignoreNotFound } from '../step/commit.js';
import { resumeTurn } from '../step/move-turn.js';
import type { Runtime } from '../step/runtime.js';

/** Denies a call that hasn't started, because its program may no longer act for the agent. A call that has started isn't affected. */
export async function withdrawExternal(runtime: Runtime, worldId: string, id: string, reason: string): Promise<void> {
  const call = await runtime.store.read((reader) => reader.invocation(id));
  if (call?.worldId !== worldId) return;
  const withdrawing = commit(runtime, 'withdraw-external', worldId, { chats: [call.chatId] }, (step) => {
    const invocation = step.tx.invocation(id);
    if (invocation === undefined || (invocation.status !== 'asked' && invocation.status !== 'approved')) return;
    const error = `${invocation.toolName} was not run`;
    const { approvalId } = invocation;
    const approval = approvalId === null ? undefined : step.tx.approval(approvalId);
    if (invocation.status === 'asked' && approval !== undefined) {
      denyApproval(runtime, step, { approval, invocation }, { how: 'deny', reason, by: SYSTEM }, error);
      return;
    }
    settleCall(runtime, step, invocation, { kind: 'denied', error, reason });
    if (resumeTurn(runtime, step, invocation.turnId)) runtime.dispatch.wake(step, invocation.turnId);
  });
  await ignoreNotFound(withdrawing);
}
