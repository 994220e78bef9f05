import { CountersignError, type SearchHit } from '@countersign/protocol';
import { maskSecrets } from '../../masking/index.js';
import type { MessageRecord, StoredEvent, StoreReader } from '../../ports/index.js';
import { changeWorld } from '../../step/commit.js';
import type { Runtime } from '../../step/runtime.js';
import { readWorld } from '../../worlds/show-world.js';
import { excerpt } from './excerpt.js';
import { wordsOf } from './words-of.js';

/** One step of catching up: everybody else waits meanwhile. */
const BATCH = 500;
const MOST_WORDS = 16;

/**
 * Messages that people and agents have said in a world, found by their words, newest first. What was said since the last search is
 * read into the index first: a search pays for that, and no message does (S2). Nothing that is masked can be found (A15).
 */
export async function searchMessages(
  runtime: Runtime,
  worldId: string,
  query: string,
  page: { before?: number; limit: number },
): Promise<{ hits: SearchHit[]; next?: number }> {
  const words = wordsOf(query).slice(0, MOST_WORDS);
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
    createdAt: new Date(message.createdAt).toISOString(),
    excerpt: excerpt(maskSecrets(message.content), words),
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
    // False: another search was faster, and went on from the same place.
    await changeWorld(runtime, 'index-messages', worldId, (change) =>
      change.tx.addToSearch(worldId, { from, upto }, documents),
    );
  }
}

/** What was said to everybody: no calls, no results and no questions of ours. */
function toDocument(event: StoredEvent): { messageId: string; chatId: string; words: string[] }[] {
  if (event.event !== 'message') return [];
  const { id, chatId, role, toolCalls, content } = event.message;
  if (role === 'tool' || toolCalls !== null) return [];
  const words = wordsOf(maskSecrets(content));
  return words.length === 0 ? [] : [{ messageId: id, chatId, words }];
}
