import type { StoredEvent } from '@countersign/core/ports';
import { CountersignError } from '@countersign/protocol';
import { sql } from 'kysely';
import { canonicalJson } from '../audit/canonical-json.js';
import type { AuditHead } from '../audit/head.js';
import { link } from '../audit/link.js';
import type { Connection } from '../connection.js';
import { prepared, type Queries } from '../prepared.js';
import type { Session } from '../session.js';
import type { AuditStatements } from './audit.js';
import { toEventRow, toStoredEvent, type EventStatements } from './events.js';

export type FinishStatements = ReturnType<typeof finishStatements>;

export function finishStatements(db: Queries) {
  return {
    /** Also the lock under which audit records are chained. A world that is gone keeps its row, so its last words are numbered too. */
    takeNumbers: prepared<{ worldId: string; count: number }, [lastEvent: number, seq: number, hash: string]>((p) =>
      db
        .updateTable('worlds')
        .set({ event_seq: sql`event_seq + ${p('count')}` })
        .where('id', '=', p('worldId'))
        .returning(['event_seq', 'audit_seq', 'audit_hash']),
    ),
    heads: prepared<{ worldId: string }, [lastEvent: number, seq: number, hash: string]>((p) =>
      db.selectFrom('worlds').select(['event_seq', 'audit_seq', 'audit_hash']).where('id', '=', p('worldId')),
    ),
    moveHeads: prepared<{ worldId: string; lastEvent: number; seq: number; hash: string }>((p) =>
      db
        .updateTable('worlds')
        .set({ event_seq: p('lastEvent'), audit_seq: p('seq'), audit_hash: p('hash') })
        .where('id', '=', p('worldId')),
    ),
  };
}

export interface Finished {
  events: StoredEvent[];
  /** The new end of the audit chain, if the step recorded anything. */
  head: AuditHead | undefined;
}

/**
 * The last thing before the commit: numbers what was emitted and chains what was recorded, under the world's row lock. Done earlier,
 * a slow step could commit a lower number after a higher one was read, and a resumed stream would skip it (S6).
 */
export function finishStep(
  on: Connection,
  s: FinishStatements & EventStatements & AuditStatements,
  session: Session,
): (worldId: string) => Promise<Finished> {
  const takeNumbers = on.first(s.takeNumbers, ([lastEvent, seq, hash]) => ({ lastEvent, seq, hash }));
  const insertEvent = on.run(s.insertEvent);
  const insertAudit = on.run(s.insertAudit);
  const moveAuditHead = on.run(s.moveAuditHead);

  return async (worldId) => {
    const { emissions, records, now } = session;
    if (emissions.length === 0 && records.length === 0) return { events: [], head: undefined };
    const taken = await takeNumbers({ worldId, count: emissions.length });
    if (taken === undefined) throw new CountersignError('not-found', `There is no world "${worldId}".`);

    let id = taken.lastEvent - emissions.length;
    const events: StoredEvent[] = [];
    for (const emission of emissions) {
      id += 1;
      await insertEvent(toEventRow(worldId, id, now, emission));
      events.push(toStoredEvent(worldId, id, now, emission));
    }
    if (records.length === 0) return { events, head: undefined };

    let { seq, hash } = taken;
    const at = new Date(now).toISOString();
    for (const entry of records) {
      const record = canonicalJson({ ...entry, at, worldId });
      const previousHash = hash;
      seq += 1;
      hash = link(previousHash, record);
      await insertAudit({ worldId, seq, record, previousHash, hash });
    }
    await moveAuditHead({ worldId, seq, hash });
    return { events, head: { seq, hash } };
  };
}
