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
  /** A message of an entry that is not folded yet. */
  sent: (chatId: string, clientMessageId: string) => MessageRecord | undefined;
  /** Before a read. */
  fold: () => void;
  /** Before any other write. */
  begin: () => void;
  /** Appends to the log what was added since. Throws if it can't, or if the transaction with part of it is lost. */
  append: () => void;
  /** As that of the log. */
  sync: (() => Promise<void>) | undefined;
  /** What was not appended is gone; with `isUnsynced`, also what no sync was for. */
  undo: (isUnsynced: boolean) => void;
  /** All of it, and the log begins again. */
  commit: () => void;
}

export function openTables(db: DatabaseSyncInstance, statements: Statements, log: StepLog): Tables {
  // Immediate: a transaction that starts by reading and then writes could not be made to wait.
  const beginNow = db.prepare('begin immediate');
  const commit = db.prepare('commit');
  const rollback = db.prepare('rollback');
  const savepoint = db.prepare('savepoint step');
  const backToSavepoint = db.prepare('rollback to step');
  const release = db.prepare('release step');
  const setMark = db.prepare(SET_MARK);
  const foldEntries = entryFolder(db, statements);

  /** Since the last commit. Of these, so many are in the tables, in the log, and on the disk. */
  let entries: Entry[] = [];
  let folded = 0;
  let appended = 0;
  let synced = 0;
  /** Messages that clients gave an id, of entries that are not folded. */
  const sent = new Map<string, MessageRecord>();

  /** A full disk may have rolled the transaction back: then it is made again. */
  function begin(): void {
    if (db.isTransaction) return;
    folded = 0;
    beginNow.run();
  }
  function fold(): void {
    if (folded === entries.length && (folded === 0 || db.isTransaction)) return;
    begin();
    try {
      foldEntries(folded === 0 ? entries : entries.slice(folded));
    } catch (error) {
      rollBack();
      throw error;
    }
    folded = entries.length;
    sent.clear();
  }
  function foldLast(): void {
    savepoint.run();
    try {
      foldEntries(entries.slice(-1));
      folded = entries.length;
    } catch (error) {
      entries.pop();
      if (db.isTransaction) backToSavepoint.run();
      throw error;
    } finally {
      if (db.isTransaction) release.run();
    }
  }
  function rollBack(): void {
    folded = 0;
    if (db.isTransaction) rollback.run();
  }
  function noteSent({ facts }: Entry): void {
    for (const fact of facts) {
      if (fact.kind !== 'message-written' || fact.message.clientMessageId === null) continue;
      sent.set(sentKey(fact.message.chatId, fact.message.clientMessageId), fact.message);
    }
  }

  return {
    add(entry) {
      if (entry.facts.every(canWait)) {
        entries.push(entry);
        noteSent(entry);
        return;
      }
      fold();
      begin();
      entries.push(entry);
      foldLast();
    },
    sent(chatId, clientMessageId) {
      if (folded > 0 && !db.isTransaction) fold();
      return sent.size === 0 ? undefined : sent.get(sentKey(chatId, clientMessageId));
    },
    fold,
    begin,
    append() {
      if (appended === entries.length) return;
      if (folded > appended && !db.isTransaction) throw new Error('The transaction was lost before its commit.');
      log.append(entries.slice(appended));
      appended = entries.length;
    },
    sync:
      log.sync &&
      (async () => {
        const [upTo, of] = [appended, entries];
        await log.sync?.();
        if (of === entries) synced = upTo;
      }),
    undo(isUnsynced) {
      if (isUnsynced) {
        log.dropUnsynced();
        appended = synced;
      }
      entries.length = appended;
      if (folded > appended) rollBack();
      sent.clear();
      for (const entry of entries.slice(folded)) noteSent(entry);
    },
    commit() {
      fold();
      if (!db.isTransaction) return;
      const mark = newMark();
      if (entries.length > 0) setMark.run(mark);
      commit.run();
      if (entries.length > 0) log.restart(mark);
      entries = [];
      folded = 0;
      appended = 0;
      synced = 0;
    },
  };
}

function sentKey(chatId: string, clientMessageId: string): string {
  return `${chatId} ${clientMessageId}`;
}
