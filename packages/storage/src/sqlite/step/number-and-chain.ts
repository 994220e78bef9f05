import type { Emission, NewAuditRecord, StoredEvent } from '@countersign/core/ports';
import { recordText } from '@countersign/protocol';
import { link } from '../../audit/link.js';
import type { EventRow } from '../../queries/events.js';
import type { audit, RowOf } from '../../schema.js';
import { toEventRow, toStoredEvent } from '../../verbs/events.js';
import type { Heads } from './chat-cache.js';

interface LogWrites {
  emissions: readonly Emission[];
  records: readonly NewAuditRecord[];
}

interface Numbered {
  events: StoredEvent[];
  rows: EventRow[];
  links: RowOf<typeof audit>[];
  heads: Heads;
}

/** Assigns event numbers and chains audit records, starting at the world's heads. No other writer may run in the meantime. */
export function numberAndChain(
  worldId: string,
  now: number,
  heads: Heads,
  { emissions, records }: LogWrites,
): Numbered {
  let { lastEvent, seq, hash } = heads;
  const events: StoredEvent[] = [];
  const rows: EventRow[] = [];
  for (const emission of emissions) {
    lastEvent += 1;
    events.push(toStoredEvent(worldId, lastEvent, now, emission));
    rows.push(toEventRow(worldId, lastEvent, now, emission));
  }
  const links: RowOf<typeof audit>[] = [];
  if (records.length > 0) {
    const at = new Date(now).toISOString();
    for (const entry of records) {
      const record = recordText({ ...entry, at, worldId });
      const previousHash = hash;
      seq += 1;
      hash = link(previousHash, record);
      links.push({ worldId, seq, record, previousHash, hash });
    }
  }
  return { events, rows, links, heads: { lastEvent, seq, hash } };
}
