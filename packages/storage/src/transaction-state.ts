import type { Emission } from '@countersign/core/ports';
import type { AuditRecord } from '@countersign/protocol';

/** The state of a transaction or read. Each connection reuses one, because it does one thing at a time. */
export interface TransactionState {
  now: number;
  emissions: Emission[];
  records: Omit<AuditRecord, 'at' | 'worldId'>[];
}

export function newTransactionState(): TransactionState {
  return { now: 0, emissions: [], records: [] };
}
