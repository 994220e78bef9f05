import type { MessageRecord, StoreReader } from '../ports/index.js';

const PAGE = 500;

/** All messages of a chat, oldest first, read page by page. */
export async function* readAllMessages(reader: StoreReader, chatId: string): AsyncGenerator<MessageRecord> {
  for (let after = 0; ;) {
    const page = await reader.messages(chatId, { after, limit: PAGE });
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.seq;
  }
}
