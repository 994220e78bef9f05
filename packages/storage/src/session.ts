import type { Emission } from '@countersign/core/ports';
import type { AuditRecord } from '@countersign/protocol';

/** What one transaction or read gathers. A connection has one and uses it again, since it does one thing at a time. */
export interface Session {
  now: number;
  emissions: Emission[];
  records: Omit<AuditRecord, 'at' | 'worldId'>[];
}

export function newSession(): Session {
  return { now: 0, emissions: [], records: [] };
}
