import { CountersignError, readWho, type SearchHit } from '@countersign/protocol';
import { maskSecrets } from '../../masking/index.js';
import type { MessageRecord, StoredEvent, StoreReader } from '../../ports/index.js';
import { showCall } from '../../publishers/public-message.js';
import { changeWorld } from '../../step/commit.js';
import type { Runtime } from '../../step/runtime.js';
import { isApprovalId } from '../../turn/ids.js';
import { readWorld } from '../../worlds/show-world.js';
import { excerpt } from './excerpt.js';
import { wordsOf } from './words-of.js';

/** The number of messages indexed per transaction. A transaction blocks other writers. */
const BATCH = 500;
const MAX_WORDS = 16;

/**
 * Searches a world's messages from people and agents by words, newest first. Indexes new messages first, so that the cost falls on searching and not
 * on sending (STORE2). Masked text can't be found (SAFE6).
 */
export async function searchMessages(
  runtime: Runtime,
  worldId: string,
  query: string,
  page: { before?: number; limit: number },
): Promise<{ hits: SearchHit[]; next?: number }> {
  const words = wordsOf(query).slice(0, MAX_WORDS);
  if (words.length === 0) {
    throw new CountersignError('invalid', 'q: contains no words to search for', { field: 'q' });
  }
  await catchUp(runtime, worldId);
  return await readWorld(runtime, worldId, async (reader) => {
    const before = page.before ?? Number.MAX_SAFE_INTEGER;
    const found = await reader.search(worldId, words, { before, limit: page.limit + 1 });
    const hits: SearchHit[] = [];
    for (const { messageId } of found.slice(0, page.limit)) {
      const message = await reader.message(messageId);
      if (message !== undefined) hits.push(await toHit(reader, message, words));
    }
    const last = found[page.limit - 1];
    return { hits, ...(found.length > page.limit && last !== undefined ? { next: last.ordinal } : {}) };
  });
}

async function toHit(reader: StoreReader, message: MessageRecord, words: readonly string[]): Promise<SearchHit> {
  return {
    chatId: message.chatId,
    chatTitle: (await reader.chat(message.chatId))?.title ?? '',
    messageId: message.id,
    sender: message.sender,
    ...(message.who === null ? {} : { who: readWho(message.who) }),
    createdAt: new Date(message.createdAt).toISOString(),
    excerpt: excerpt(textOf(message), words),
  };
}

async function catchUp(runtime: Runtime, worldId: string): Promise<void> {
  for (;;) {
    const { from, events } = await readWorld(runtime, worldId, async (reader) => {
      const upto = await reader.searchedUpTo(worldId);
      const next = await reader.events(worldId, { after: upto, limit: BATCH });
      return { from: upto, events: next };
    });
    const upto = events.at(-1)?.id;
    if (upto === undefined) return;
    const documents = events.flatMap(toDocument);
    // Returns false if a concurrent search indexed the same messages first.
    await changeWorld(runtime, 'index-messages', worldId, (change) =>
      change.tx.addToSearch(worldId, { from, upto }, documents),
    );
  }
}

/** Indexes messages with their calls: no results or approvals. */
function toDocument(event: StoredEvent): { messageId: string; chatId: string; words: string[] }[] {
  if (event.event !== 'message') return [];
  const { id, chatId, role } = event.message;
  if (role === 'tool') return [];
  const words = wordsOf(textOf(event.message));
  return words.length === 0 ? [] : [{ messageId: id, chatId, words }];
}

/** What a message says and calls, as people see it, and without what looks like a secret anywhere in a call. */
function textOf({ content, toolCalls }: Pick<MessageRecord, 'content' | 'toolCalls'>): string {
  const calls = (toolCalls ?? []).filter(({ id }) => !isApprovalId(id)).map(showCall);
  const texts = calls.map(({ function: { name, arguments: given } }) => maskSecrets(`${name} ${given}`));
  return [maskSecrets(content), ...texts].join('\n');
}
