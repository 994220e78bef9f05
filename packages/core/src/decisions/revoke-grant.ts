import type { Signer } from '@countersign/protocol';
import type { GrantRecord } from '../ports/index.js';
import { changeWorld } from '../step/commit.js';
import type { Runtime, WorldChange } from '../step/runtime.js';

/** A person, or `system`, which has no device. */
type Author = Pick<Signer, 'who'> & Partial<Signer>;

/** Revokes a grant, effective from the next call (A14). Returns false if it does not exist or was already revoked. */
export async function revokeGrant(
  runtime: Runtime,
  worldId: string,
  grantId: string,
  signer: Signer,
): Promise<boolean> {
  return await changeWorld(runtime, 'revoke-grant', worldId, async (change) => {
    const grant = await change.tx.grant(grantId);
    return grant?.worldId === worldId && (await revoke(change, grant, signer));
  });
}

/** Revokes every grant for the matching tools and records why. */
export async function revokeGrantsOf(
  change: WorldChange,
  concerns: (toolName: string) => boolean,
  by: Author,
  why: string,
): Promise<void> {
  for (const grant of await change.tx.grantsOfWorld(change.snapshot.world.id)) {
    if (concerns(grant.toolName)) await revoke(change, grant, { ...by, why });
  }
}

async function revoke(
  { tx }: WorldChange,
  { id, worldId, chatId, agentId, toolName }: GrantRecord,
  by: Author & { why?: string },
): Promise<boolean> {
  // Increments `rev`, so that a call that is just starting is judged again.
  if (!(await tx.revokeGrant(worldId, id))) return false;
  tx.record({ kind: 'grant', decision: 'revoked', chatId, agentId, tool: toolName, ...by });
  tx.emit({ event: 'crud', chatId, data: { operation: 'delete', entity: 'grant', id } });
  return true;
}
