import type { Client } from '@countersign/client';
import type { AuditEntry } from '@countersign/protocol';

const PAGE = 500;

/** The whole log of a world, oldest first. */
export async function readAudit(client: Client, worldId: string, signal: AbortSignal): Promise<AuditEntry[]> {
  const all: AuditEntry[] = [];
  let after: string | undefined;
  do {
    const page = await client.audit(worldId, { limit: PAGE, ...(after === undefined ? {} : { after }) }, { signal });
    all.push(...page.items);
    after = page.next;
  } while (after !== undefined);
  return all;
}
