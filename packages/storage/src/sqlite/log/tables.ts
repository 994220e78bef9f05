import type { MessageRecord } from '@countersign/core/ports';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Statements } from '../../statements.js';
import type { Entry } from './entry.js';
import { canWait, entryFolder } from './fold.js';
import { SET_MARK } from './mark.js';
import { newMark, type StepLog } from './step-log.js';

/**
 * The tables lag behind the steps: entries are folded into them before a read and committed periodically, in a transaction that stays open. The
 * log makes each step durable.
 */
export interface Tables {
  /**
   * Adds a step's writes. They are folded before the next read, or immediately if the database could reject them, in which case this
   * throws.
   */
  add: (entry: Entry) => void;
  /** A message with this client id in an entry that is not committed yet. */
  sent: (chatId: string, clientMessageId: string) => MessageRecord | undefined;
  /** Folds all entries. Called before a read. */
  fold: () => void;
  /** Folds the entries that can't wait. Called before a read that depends only on those. */
  ready: () => void;
  /** Called before any other write. */
  begin: () => void;
  /** Appends new entries to the log. Throws on failure. */
  append: () => void;
  /** See `StepLog.sync`. */
  sync: (() => Promise<void>) | undefined;
  /** Drops entries that were not appended; with `isUnsynced`, also those that were not synced. */
  undo: (isUnsynced: boolean) => void;
  /** Rolls back. Uncommitted entries are folded again when needed; other writes are lost. */
  rollBack: () => void;
  /** Commits everything and restarts the log. Must not run during a sync. */
  commit: () => void;
}

export function openTables(db: DatabaseSyncInstance, statements: Statements, log: StepLog): Tables {
  // `immediate`: a transaction that upgrades from read to write would fail instead of waiting for the lock.
  const beginNow = db.prepare('begin immediate');
  const commit = db.prepare('commit');
  const rollback = db.prepare('rollback');
  const setMark = db.prepare(SET_MARK);
  const foldEntries = entryFolder(db, statements);

  /** Entries since the last commit. The counters below say how many of them are folded, in the log, and on disk. */
  let entries: Entry[] = [];
  let folded = 0;
  let appended = 0;
  let synced = 0;
  /** Index after the last entry that could not wait. */
  let urgent = 0;
  /** Messages with a client id in all entries. */
  const sent = new Map<string, MessageRecord>();

  /** The number of folded entries. A full disk may have rolled back the transaction that contained them. */
  function countFolded(): number {
    return db.isTransaction ? folded : 0;
  }
  function begin(): void {
    if (db.isTransaction) return;
    folded = 0;
    beginNow.run();
  }
  function write(some: readonly Entry[]): void {
    begin();
    try {
      foldEntries(some);
    } catch (error) {
      rollBack();
      throw error;
    }
    folded += some.length;
  }
  function fold(): void {
    const from = countFolded();
    if (from < entries.length) write(from === 0 ? entries : entries.slice(from));
  }
  function rollBack(): void {
    if (db.isTransaction) rollback.run();
  }
  function noteSent({ changes }: Entry): void {
    for (const row of changes) {
      if (row.kind === 'chat-deleted') forgetSent(({ chatId }) => chatId === row.chatId);
      if (row.kind === 'world-deleted') forgetSent(({ worldId }) => worldId === row.worldId);
      if (row.kind !== 'message-written' || row.message.clientMessageId === null) continue;
      sent.set(sentKey(row.message.chatId, row.message.clientMessageId), row.message);
    }
  }
  function forgetSent(isGone: (message: MessageRecord) => boolean): void {
    for (const [key, message] of sent) if (isGone(message)) sent.delete(key);
  }

  return {
    add(entry) {
      const isUrgent = !entry.changes.every(canWait);
      if (isUrgent) {
        fold();
        write([entry]);
      }
      entries.push(entry);
      if (isUrgent) urgent = entries.length;
      noteSent(entry);
    },
    sent: (chatId, clientMessageId) => sent.get(sentKey(chatId, clientMessageId)),
    fold,
    ready() {
      if (urgent > 0 && countFolded() < urgent) fold();
    },
    begin,
    append() {
      if (appended === entries.length) return;
      log.append(entries.slice(appended));
      appended = entries.length;
    },
    sync:
      log.sync &&
      (async () => {
        const upTo = appended;
        await log.sync?.();
        synced = upTo;
      }),
    undo(isUnsynced) {
      if (isUnsynced) {
        log.dropUnsynced();
        appended = synced;
      }
      if (countFolded() > appended) rollBack();
      entries.length = appended;
      urgent = Math.min(urgent, appended);
      sent.clear();
      for (const entry of entries) noteSent(entry);
    },
    rollBack,
    commit() {
      fold();
      if (!db.isTransaction) return;
      const mark = newMark();
      setMark.run(`${mark} ${log.end}`);
      commit.run();
      log.restart(mark);
      entries = [];
      folded = appended = synced = urgent = 0;
      sent.clear();
    },
  };
}

function sentKey(chatId: string, clientMessageId: string): string {
  return `${chatId} ${clientMessageId}`;
}
