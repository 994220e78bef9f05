import { readMessages } from '../memory/chat-messages.js';
import type { ChatRecord, MessageRecord, StoreReader } from '../ports/index.js';

const PAGE = 500;

/** The messages of a chat after this position, oldest first, read page by page. */
export async function* readAllMessages(reader: StoreReader, chat: ChatRecord, from = 0): AsyncGenerator<MessageRecord> {
  for (let after = from; ;) {
    const page = await readMessages(reader, chat, { after, limit: PAGE });
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.seq;
  }
}
