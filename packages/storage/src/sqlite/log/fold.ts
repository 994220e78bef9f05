import type { RowChange } from '@countersign/core/ports';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Statements } from '../../statements.js';
import { createBatch } from './batch.js';
import type { Entry } from './entry.js';
import { changeWriter } from './change-writer.js';
import type { Heads } from '../step/chat-cache.js';

/** Writes entries to the tables, inside an open transaction. Several changes to one row are written once. */
export function entryFolder(db: DatabaseSyncInstance, s: Statements): (entries: readonly Entry[]) => void {
  const batch = createBatch(db);
  const changes = changeWriter(batch, s);
  const moveHeads = batch.add(s.moveHeads);
  const insertEvents = batch.addRows(s.insertEvent);
  const insertAudit = batch.addRows(s.insertAudit);

  function foldTogether(entries: readonly Entry[]): void {
    batch.clear();
    changes.clear();
    const heads = new Map<string, Heads>();
    for (const entry of entries) {
      changes.add(entry.changes, entry.now);
      if (entry.heads !== undefined) heads.set(entry.worldId, entry.heads);
    }
    changes.flush();
    insertEvents(entries.flatMap(({ events }) => events));
    insertAudit(entries.flatMap(({ links }) => links));
    for (const [worldId, head] of heads) moveHeads({ worldId, ...head });
    batch.run();
  }

  return (entries) => {
    let waiting: Entry[] = [];
    for (const entry of entries) {
      if (entry.changes.every(canWait)) {
        waiting.push(entry);
        continue;
      }
      // This change may delete rows that earlier entries write, so fold those first.
      if (waiting.length > 0) foldTogether(waiting);
      waiting = [];
      foldTogether([entry]);
    }
    if (waiting.length > 0) foldTogether(waiting);
  };
}

/**
 * Whether the tables may lag behind: true for changes to an active chat that delete nothing, because its state is complete in memory. Other
 * changes are written immediately, because the database may reject them or queries depend on them.
 */
export function canWait({ kind }: RowChange): boolean {
  switch (kind) {
    case 'chat-changed':
    case 'message-written':
    case 'turn-queued':
    case 'turn-changed':
    case 'call-proposed':
    case 'call-changed':
    case 'approval-requested':
    case 'approval-signed':
    case 'approval-settled':
    case 'grant-used':
      return true;
    case 'chat-created':
    case 'chat-deleted':
    case 'outcome-accepted':
    case 'grant-given':
    case 'policy-changed':
    case 'agent-added':
    case 'agent-removed':
    case 'world-deleted':
      return false;
  }
}
