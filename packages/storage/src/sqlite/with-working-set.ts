import type { StoreTransaction } from '@countersign/core/ports';
import type { Unit, Verbs } from '../engine.js';
import type { Statements } from '../statements.js';
import { insertPlacedMessage, noChat } from '../verbs/messages.js';
import type { SqliteConnection } from './connection.js';
import { finishOnce } from './finish-once.js';
import { knownCalls, knownTurns } from './known-turns.js';
import { createWorkingSet, type ChatEntry } from './working-set.js';

interface KnowingUnit extends Unit {
  /** After a commit. */
  kept(): void;
  /** After a rollback: what is known may be what was never written. */
  forget(): void;
}

/**
 * The same verbs for a store that one process owns: what its steps go back to is not read again, and a chat that a step changes in
 * several places is written once, last before the commit.
 */
export function withWorkingSet(on: SqliteConnection, s: Statements, verbs: Verbs): KnowingUnit {
  const { session, tx: plain } = verbs;
  const known = createWorkingSet();
  const placeChat = on.run(s.placeChat);
  const anyGrant = on.first(s.anyGrant, ([id]) => id);
  const anyUnknown = on.first(s.anyUnknown, ([id]) => id);
  const insertMessage = insertPlacedMessage(on, s, session);
  const finish = finishOnce(on, s, session, known);
  let dirty: ChatEntry[] = [];

  async function chatEntry(id: string): Promise<ChatEntry | undefined> {
    const record = await plain.chat(id);
    return record === undefined ? undefined : known.keepChat(record);
  }
  function changeChat(entry: ChatEntry, change: Partial<ChatEntry['record']>): void {
    entry.record = { ...entry.record, ...change };
    if (entry.isDirty) return;
    entry.isDirty = true;
    dirty.push(entry);
  }
  async function flush(): Promise<void> {
    for (const entry of dirty) {
      const { id, lastSeq, humanSeq, status } = entry.record;
      await placeChat({ id, lastSeq, humanSeq, status });
      entry.isDirty = false;
    }
    dirty = [];
  }
  /** What is taken away in bulk is not followed row by row. */
  async function forgetAll(): Promise<void> {
    await flush();
    known.clear();
  }
  const tx: StoreTransaction = {
    ...plain,
    ...knownTurns(plain, known, chatEntry),
    ...knownCalls(plain, known),

    async worldRev(id) {
      const world = known.world(id);
      if (world.rev !== undefined) return world.rev;
      const rev = await plain.worldRev(id);
      if (rev !== undefined) world.rev = rev;
      return rev;
    },
    async insertWorld(world) {
      known.forgetWorld(world.id);
      return await plain.insertWorld(world);
    },
    async updateWorld(id, change) {
      known.forgetWorld(id);
      await plain.updateWorld(id, change);
    },
    async insertAgent(worldId, id, definition) {
      known.forgetWorld(worldId);
      return await plain.insertAgent(worldId, id, definition);
    },
    async updateAgent(worldId, id, definition) {
      known.forgetWorld(worldId);
      await plain.updateAgent(worldId, id, definition);
    },
    async deleteAgent(worldId, id) {
      known.forgetWorld(worldId);
      await plain.deleteAgent(worldId, id);
    },
    async deleteWorld(id) {
      await forgetAll();
      await plain.deleteWorld(id);
    },
    async clearIndexes(worldId) {
      await forgetAll();
      await plain.clearIndexes(worldId);
    },

    chat: async (id) => (known.chatOf(id) ?? (await chatEntry(id)))?.record,
    async chats(worldId) {
      await flush();
      return await plain.chats(worldId);
    },
    async chatsAfter(worldId, part) {
      await flush();
      return await plain.chatsAfter(worldId, part);
    },
    async lastChats(worldId, part) {
      await flush();
      return await plain.lastChats(worldId, part);
    },
    async insertChat(chat) {
      const record = await plain.insertChat(chat);
      known.keepChat(record);
      return record;
    },
    lockChat: async (id) => (known.chatOf(id) ?? (await chatEntry(id)))?.record.status,
    async setChatStatus(id, status) {
      const entry = known.chatOf(id) ?? (await chatEntry(id));
      if (entry !== undefined) changeChat(entry, { status });
    },
    async setChatTitle(id, title) {
      await plain.setChatTitle(id, title);
      const entry = known.chatOf(id);
      if (entry !== undefined) entry.record = { ...entry.record, title, titled: true };
    },
    async deleteChat(id) {
      await forgetAll();
      await plain.deleteChat(id);
    },
    async appendMessage(message) {
      const entry = known.chatOf(message.chatId) ?? (await chatEntry(message.chatId));
      if (entry === undefined) throw noChat(message.chatId);
      const seq = entry.record.lastSeq + 1;
      const isHuman = message.speaker === 'human' || message.speaker === 'world';
      changeChat(entry, isHuman ? { lastSeq: seq, humanSeq: seq } : { lastSeq: seq });
      return await insertMessage(message, seq);
    },

    async grants(chatId, agentId, toolName, usedAfter, keys) {
      const entry = known.chatOf(chatId) ?? (await chatEntry(chatId));
      if (entry !== undefined) entry.hasGrants ??= (await anyGrant({ chatId })) !== undefined;
      return entry?.hasGrants === false ? [] : await plain.grants(chatId, agentId, toolName, usedAfter, keys);
    },
    async insertGrant(grant, key) {
      await plain.insertGrant(grant, key);
      const entry = known.chatOf(grant.chatId);
      if (entry !== undefined) entry.hasGrants = true;
    },
    async outcomeUnknown(chatId, toolName, argumentsText) {
      const entry = known.chatOf(chatId) ?? (await chatEntry(chatId));
      if (entry !== undefined) entry.hasUnknown ??= (await anyUnknown({ chatId })) !== undefined;
      return entry?.hasUnknown !== false && (await plain.outcomeUnknown(chatId, toolName, argumentsText));
    },
    async clearOutcomeUnknown(chatId, toolName, argumentsText) {
      if (known.chatOf(chatId)?.hasUnknown === false) return;
      await plain.clearOutcomeUnknown(chatId, toolName, argumentsText);
    },

    async approval(id) {
      const waiting = known.approvals.get(id);
      if (waiting !== undefined) return waiting;
      const approval = await plain.approval(id);
      if (approval?.status === 'pending') known.approvals.set(id, approval);
      return approval;
    },
    async insertApproval(approval) {
      await plain.insertApproval(approval);
      if (approval.status === 'pending') known.approvals.set(approval.id, approval);
    },
    async settleApproval(id, change) {
      known.approvals.delete(id);
      return await plain.settleApproval(id, change);
    },
  };

  return {
    ...verbs,
    tx,
    async finish(worldId) {
      await flush();
      return await finish(worldId);
    },
    kept: () => known.trim(),
    forget() {
      known.clear();
      dirty = [];
    },
  };
}
