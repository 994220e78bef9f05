import type { StoredEvent } from '@countersign/core/ports';
import { CountersignError, recordText } from '@countersign/protocol';
import { link } from '../audit/link.js';
import type { Finished } from '../engine.js';
import type { RowOf } from '../queries/prepared.js';
import type { AuditTable } from '../schema.js';
import type { Session } from '../session.js';
import type { Statements } from '../statements.js';
import { toEventRow, toStoredEvent } from '../verbs/events.js';
import type { SqliteConnection } from './connection.js';
import type { Heads, WorkingSet } from './working-set.js';

/**
 * Numbers and chains where nobody else can meanwhile: the numbers are known, the world's row is written once, and rows that belong
 * together go into one statement.
 */
export function finishOnce(
  on: SqliteConnection,
  s: Statements,
  session: Session,
  known: WorkingSet,
): (worldId: string) => Promise<Finished> {
  const readHeads = on.first(s.heads, ([lastEvent, seq, hash]): Heads => ({ lastEvent, seq, hash }));
  const moveHeads = on.run(s.moveHeads);
  const insertEvents = on.insertAll(s.insertEvent);
  const insertAudit = on.insertAll(s.insertAudit);

  return async (worldId) => {
    const { emissions, records, now } = session;
    if (emissions.length === 0 && records.length === 0) return { events: [], head: undefined };
    const world = known.world(worldId);
    const heads = world.heads ?? (await readHeads({ worldId }));
    if (heads === undefined) throw new CountersignError('not-found', `There is no world "${worldId}".`);

    let { lastEvent, seq, hash } = heads;
    const events: StoredEvent[] = [];
    const rows = emissions.map((emission) => {
      lastEvent += 1;
      events.push(toStoredEvent(worldId, lastEvent, now, emission));
      return toEventRow(worldId, lastEvent, now, emission);
    });
    const at = new Date(now).toISOString();
    const links = records.map((entry): RowOf<AuditTable> => {
      const record = recordText({ ...entry, at, worldId });
      const previousHash = hash;
      seq += 1;
      hash = link(previousHash, record);
      return { worldId, seq, record, previousHash, hash };
    });
    world.heads = { lastEvent, seq, hash };
    await moveHeads({ worldId, lastEvent, seq, hash });
    insertEvents(rows);
    insertAudit(links);
    return { events, head: links.length === 0 ? undefined : { seq, hash } };
  };
}
