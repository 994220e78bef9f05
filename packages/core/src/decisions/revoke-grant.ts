import type { Signer } from '@countersign/protocol';
import type { GrantRecord } from '../ports/index.js';
import { commit, type Runtime, type Step } from '../step/runtime.js';

/** From the next call on (A14). False if it was not live. */
export async function revokeGrant(
  runtime: Runtime,
  worldId: string,
  grantId: string,
  signer: Signer,
): Promise<boolean> {
  return await commit(runtime, 'revoke-grant', worldId, async (step) => {
    const grant = await step.tx.grant(grantId);
    return grant?.worldId === worldId && (await revoke(step, grant, signer));
  });
}

/** Every grant of the tools that are meant goes, for good, and the record says why. */
export async function revokeGrantsOf(
  step: Step,
  concerns: (toolName: string) => boolean,
  who: string,
  why: string,
): Promise<void> {
  for (const grant of await step.tx.grantsOfWorld(step.snapshot.world.id)) {
    if (concerns(grant.toolName)) await revoke(step, grant, { who, why });
  }
}

async function revoke(
  { tx }: Step,
  { id, chatId, agentId, toolName }: GrantRecord,
  by: Signer | { who: string; why: string },
): Promise<boolean> {
  if (!(await tx.revokeGrant(id))) return false;
  tx.record({ kind: 'grant', decision: 'revoked', chatId, agentId, tool: toolName, ...by });
  tx.emit({ event: 'crud', chatId, data: { operation: 'delete', entity: 'grant', id } });
  return true;
}
