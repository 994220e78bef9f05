import type { Signer } from '@countersign/protocol';
import type { Author } from '../facts/world-fact.js';
import { changeWorld } from '../step/commit.js';
import type { Runtime, WorldChange } from '../step/runtime.js';
import { writeFact } from '../step/write-fact.js';

/** Revokes a grant, effective from the next call (CALL14). Returns false if it does not exist or was already revoked. */
export async function revokeGrant(runtime: Runtime, worldId: string, grantId: string, by: Signer): Promise<boolean> {
  return await changeWorld(runtime, 'revoke-grant', worldId, async ({ tx }) => {
    const grant = await tx.grant(grantId);
    return grant?.worldId === worldId && (await writeFact(tx, { kind: 'grant-revoked', grant, by }));
  });
}

/** Revokes every grant for the matching tools and records why. */
export async function revokeGrantsOf(
  { tx, snapshot }: WorldChange,
  concerns: (toolName: string) => boolean,
  by: Author,
  why: string,
): Promise<void> {
  for (const grant of await tx.grantsOfWorld(snapshot.world.id)) {
    if (concerns(grant.toolName)) await writeFact(tx, { kind: 'grant-revoked', grant, by, why });
  }
}
