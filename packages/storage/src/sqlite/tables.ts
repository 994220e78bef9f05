import type { MessageRecord } from '@countersign/core/ports';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Statements } from '../statements.js';
import type { Entry } from './entry.js';
import { canWait, entryFolder } from './fold.js';
import { SET_MARK } from './mark.js';
import { newMark, type StepLog } from './step-log.js';

/**
 * The tables, which follow the steps: entries are folded into them before they are read and committed every now and then. Their transaction
 * stays open meanwhile; the log is what makes each step durable.
 */
export interface Tables {
  /** What a step has written. It is folded with the next read; at once, if the database could refuse it, which throws. */
  add: (entry: Entry) => void;
  /** A message of an entry that is not committed yet. */
  sent: (chatId: string, clientMessageId: string) => MessageRecord | undefined;
  /** Before a read. */
  fold: () => void;
  /** Before a read of what only entries change that can't wait: those are folded. */
  ready: () => void;
  /** Before any other write. */
  begin: () => void;
  /** Appends to the log what was added since. Throws if it can't. */
  append: () => void;
  /** As that of the log. */
  sync: (() => Promise<void>) | undefined;
  /** What was not appended is gone; with `isUnsynced`, also what no sync was for. */
  undo: (isUnsynced: boolean) => void;
  /** What is not committed is folded again when it is needed; any other write is gone. */
  rollBack: () => void;
  /** All of it, and the log begins again. Not while anybody waits for a sync. */
  commit: () => void;
}

export function openTables(db: DatabaseSyncInstance, statements: Statements, log: StepLog): Tables {
  // Immediate: a transaction that starts by reading and then writes could not be made to wait.
  const beginNow = db.prepare('begin immediate');
  const commit = db.prepare('commit');
  const rollback = db.prepare('rollback');
  const setMark = db.prepare(SET_MARK);
  const foldEntries = entryFolder(db, statements);

  /** Since the last commit. Of these, so many are in the tables' transaction, in the log, and on the disk. */
  let entries: Entry[] = [];
  let folded = 0;
  let appended = 0;
  let synced = 0;
  /** Up to the last entry that could not wait. */
  let urgent = 0;
  /** Messages that clients gave an id, of all entries. */
  const sent = new Map<string, MessageRecord>();

  /** A full disk may have rolled the transaction back: then none of them is there. */
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
