import { readAll, type Client } from '@countersign/client';
import type { AuditEntry } from '@countersign/protocol';

const PAGE = 500;

/** The whole log of a world, oldest first. */
export async function readAudit(client: Client, worldId: string, signal: AbortSignal): Promise<AuditEntry[]> {
  return await readAll((after) => client.audit(worldId, { limit: PAGE, ...after }, { signal }));
}
