import {
  CountersignError,
  END_OF_LIST,
  type ApprovalStatus,
  type Chat,
  type Message,
  type QueuedApproval,
  type WaitingCall,
} from '@countersign/protocol';
import { readLastMessages, readMessages } from '../memory/chat-messages.js';
import {
  isPartOf,
  type ApprovalRecord,
  type ChatRecord,
  type MessageRecord,
  type StoreReader,
} from '../ports/index.js';
import { MAX_COUNTED, needsReader, positionOf, toApproval, totalOf } from './queries.js';
import type { Runtime } from '../step/runtime.js';
import { readMessage, showMessages, type ReadMessage } from './show-messages.js';
import { readChat, readWorld, toChat } from '../worlds/show-world.js';

/** A page of a list. `next` is the cursor in the same direction; absent at the end. */
export interface ListPage<T> {
  items: T[];
  next?: string;
}

/** The position in a list: after or before an item; `end` means after the last one. */
export interface ListPlace {
  after?: string;
  before?: string;
  limit: number;
}

/**
 * A page of a chat's transcript, oldest first in either direction. Cursors are message ids. `lastEventId` tells clients which events the page
 * includes; without it, a message that is too old for this page would look new.
 */
export async function pageMessages(
  runtime: Runtime,
  worldId: string,
  chatId: string,
  { after, before, limit }: ListPlace,
): Promise<ListPage<Message> & { lastEventId: number }> {
  const read = await readChat(runtime, worldId, chatId, async (reader, chat) => {
    const lastEventId = await reader.lastEventId(worldId);
    if (before !== undefined) {
      const seq = before === END_OF_LIST ? Number.MAX_SAFE_INTEGER : await placeOf(reader, chat, before, 'before');
      const records = await readLastMessages(reader, chat, { before: seq, limit: limit + 1 });
      const items = records.slice(-limit);
      return { ...(await readPage(reader, items, records.length > limit ? items[0]?.id : undefined)), lastEventId };
    }
    const seq = after === undefined ? 0 : await placeOf(reader, chat, after, 'after');
    const records = await readMessages(reader, chat, { after: seq, limit: limit + 1 });
    const items = records.slice(0, limit);
    return { ...(await readPage(reader, items, records.length > limit ? items.at(-1)?.id : undefined)), lastEventId };
  });
  // A branch shows the messages that it begins with as its own.
  return { ...read, items: (await showMessages(read.items)).map((message) => ({ ...message, chatId })) };
}

/** A page of a world's chats, oldest first in either direction. Cursors are chat ids. */
export async function pageChats(
  runtime: Runtime,
  worldId: string,
  { after, before, limit }: ListPlace,
): Promise<ListPage<Chat>> {
  return await readWorld(runtime, worldId, async (reader) => {
    const assertPlace = async (chatId: string, field: string): Promise<void> => {
      if ((await reader.chat(chatId))?.worldId !== worldId) throw noPlace(field);
    };
    if (before !== undefined) {
      if (before !== END_OF_LIST) await assertPlace(before, 'before');
      const part = { limit: limit + 1, ...(before === END_OF_LIST ? {} : { before }) };
      const records = await reader.lastChats(worldId, part);
      return chatPage(records.slice(-limit), records.length > limit ? records[1]?.id : undefined);
    }
    if (after !== undefined) await assertPlace(after, 'after');
    const records = await reader.chatsAfter(worldId, { limit: limit + 1, ...(after === undefined ? {} : { after }) });
    return chatPage(records.slice(0, limit), records.length > limit ? records[limit - 1]?.id : undefined);
  });
}

function chatPage(records: readonly ChatRecord[], next: string | undefined): ListPage<Chat> {
  return { items: records.map(toChat), ...(next === undefined ? {} : { next }) };
}

async function placeOf(reader: StoreReader, chat: ChatRecord, messageId: string, field: string): Promise<number> {
  const message = await reader.message(messageId);
  if (message !== undefined && isPartOf(chat, message)) return message.seq;
  throw noPlace(field);
}

async function readPage(
  reader: StoreReader,
  records: readonly MessageRecord[],
  next: string | undefined,
): Promise<ListPage<ReadMessage>> {
  const items: ReadMessage[] = [];
  for (const record of records) items.push(await readMessage(reader, record));
  return { items, ...(next === undefined ? {} : { next }) };
}

/** Approvals with one status, oldest first; pending ones include their position in the queue (CALL12). */
export async function pageApprovals(
  runtime: Runtime,
  worldId: string,
  { status, chatId, after, limit }: { status: ApprovalStatus; chatId?: string; after?: string; limit: number },
): Promise<ListPage<QueuedApproval>> {
  return await readWorld(runtime, worldId, async (reader) => {
    if (after !== undefined && (await reader.approval(after))?.worldId !== worldId) throw noPlace('after');
    const records = await reader.approvalsAfter(worldId, {
      status,
      limit: limit + 1,
      ...(chatId === undefined ? {} : { chatId }),
      ...(after === undefined ? {} : { after }),
    });
    const shown = records.slice(0, limit);
    const places = status === 'pending' ? await placesOf(reader, worldId, shown, chatId) : [];
    const snapshot = await runtime.caches.snapshots.read(reader, worldId);
    const needsOf = needsReader(reader);
    const titleOf = titleReader(reader);
    const items: QueuedApproval[] = [];
    for (const [index, record] of shown.entries()) {
      const invocation = await reader.invocation(record.invocationId);
      if (invocation === undefined) continue;
      const more = { ...(await needsOf(record, invocation)), ...(await titleOf(record.chatId)), ...places[index] };
      items.push({ ...toApproval(runtime, snapshot, record, invocation), ...more });
    }
    const next = records.length > limit ? records[limit - 1]?.id : undefined;
    return { items, ...(next === undefined ? {} : { next }) };
  });
}

/** The pending approvals of all worlds that the reader may read, oldest first. Cursors are approval ids. */
export async function pageWaiting(
  runtime: Runtime,
  mayRead: (worldId: string) => boolean,
  { after, limit }: { after?: string; limit: number },
): Promise<ListPage<WaitingCall>> {
  return await runtime.store.read(async (reader) => {
    const from = after === undefined ? undefined : await reader.approval(after);
    if (after !== undefined && (from === undefined || !mayRead(from.worldId))) throw noPlace('after');
    const readable = (await reader.pendingEverywhere(after)).filter(({ worldId }) => mayRead(worldId));
    const needsOf = needsReader(reader);
    const titleOf = titleReader(reader);
    const items: WaitingCall[] = [];
    for (const { id, worldId } of readable.slice(0, limit)) {
      const record = await reader.approval(id);
      const call = record === undefined ? undefined : await reader.invocation(record.invocationId);
      if (record === undefined || call === undefined) continue;
      const snapshot = await runtime.caches.snapshots.read(reader, worldId);
      const more = { ...(await needsOf(record, call)), ...(await titleOf(record.chatId)) };
      items.push({ worldId, ...toApproval(runtime, snapshot, record, call), ...more });
    }
    const next = readable.length > limit ? readable[limit - 1]?.id : undefined;
    return { items, ...(next === undefined ? {} : { next }) };
  });
}

/** Reads the title of each chat once. */
function titleReader(reader: StoreReader): (chatId: string) => Promise<{ chatTitle?: string }> {
  const titles = new Map<string, { chatTitle?: string }>();
  return async (chatId) => {
    const known = titles.get(chatId);
    if (known !== undefined) return known;
    const chat = await reader.chat(chatId);
    const found = chat === undefined ? {} : { chatTitle: chat.title };
    titles.set(chatId, found);
    return found;
  };
}

/** Positions within a whole world are consecutive; those of a single chat have gaps. */
async function placesOf(
  reader: StoreReader,
  worldId: string,
  shown: readonly ApprovalRecord[],
  chatId: string | undefined,
): Promise<Pick<QueuedApproval, 'position' | 'total' | 'more'>[]> {
  const [first] = shown;
  if (first === undefined) return [];
  const total = await totalOf(reader, worldId);
  if (chatId !== undefined) {
    const places = [];
    for (const { id } of shown) places.push({ ...(await positionOf(reader, worldId, id)), ...total });
    return places;
  }
  const { position: start = MAX_COUNTED + 1 } = await positionOf(reader, worldId, first.id);
  return shown.map((_, index) => (start + index > MAX_COUNTED ? total : { position: start + index, ...total }));
}

function noPlace(field: string): CountersignError {
  return new CountersignError('invalid', `${field}: invalid cursor. Use a value of "next"`, { field });
}
