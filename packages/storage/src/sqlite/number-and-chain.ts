import type { Emission, NewAuditRecord, StoredEvent } from '@countersign/core/ports';
import { recordText } from '@countersign/protocol';
import { link } from '../audit/link.js';
import type { RowOf } from '../queries/prepared.js';
import type { AuditTable } from '../schema.js';
import type { Statements } from '../statements.js';
import { toEventRow, toStoredEvent } from '../verbs/events.js';
import type { Batch } from './batch.js';
import type { Heads } from './kept-states.js';

interface Said {
  emissions: readonly Emission[];
  records: readonly NewAuditRecord[];
}

/**
 * Gives events their numbers and audit records their links, from where the world's end, and adds them to the batch. Nobody else can
 * write meanwhile, so the numbers are known, and the world's row is written once.
 */
export function numberAndChain(
  batch: Batch,
  s: Statements,
): (worldId: string, now: number, heads: Heads, said: Said) => { events: StoredEvent[]; heads: Heads } {
  const moveHeads = batch.add(s.moveHeads);
  const insertEvents = batch.addRows(s.insertEvent);
  const insertAudit = batch.addRows(s.insertAudit);

  return (worldId, now, heads, { emissions, records }) => {
    let { lastEvent, seq, hash } = heads;
    const events: StoredEvent[] = [];
    const rows = emissions.map((emission) => {
      lastEvent += 1;
      events.push(toStoredEvent(worldId, lastEvent, now, emission));
      return toEventRow(worldId, lastEvent, now, emission);
    });
    const links: RowOf<AuditTable>[] = [];
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
    moveHeads({ worldId, lastEvent, seq, hash });
    insertEvents(rows);
    insertAudit(links);
    return { events, heads: { lastEvent, seq, hash } };
  };
}
