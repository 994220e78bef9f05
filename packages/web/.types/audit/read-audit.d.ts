import type { Client } from '@countersign/client';
import type { AuditEntry } from '@countersign/protocol';
/** The whole log of a world, oldest first. */
export declare function readAudit(client: Client, worldId: string, signal: AbortSignal): Promise<AuditEntry[]>;
