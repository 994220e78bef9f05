import type { RowChange } from '@countersign/core/ports';
import type { EventRow } from '../../queries/events.js';
import type { audit, RowOf } from '../../schema.js';
import type { Heads } from '../step/chat-cache.js';

/** A step's writes, as stored in the log: row changes, numbered events and chained audit records. */
export interface Entry {
  worldId: string;
  now: number;
  changes: readonly RowChange[];
  events: readonly EventRow[];
  links: readonly RowOf<typeof audit>[];
  /** The world's heads after the entry, if it has events or records. */
  heads: Heads | undefined;
}
