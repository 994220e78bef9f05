import type { RowChange } from '@countersign/core/ports';
import type { EventRow } from '../queries/events.js';
import type { RowOf } from '../queries/prepared.js';
import type { AuditTable } from '../schema.js';
import type { Heads } from './state-cache.js';

/** What one step writes, as it is in the log: changes, and what the step said with its numbers and links. */
export interface Entry {
  worldId: string;
  now: number;
  changes: readonly RowChange[];
  events: readonly EventRow[];
  links: readonly RowOf<AuditTable>[];
  /** Where the world's events and records end after it, if it has said any. */
  heads: Heads | undefined;
}
