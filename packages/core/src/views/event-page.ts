import type { ChatRecord, StoredEvent, StoreReader } from '../ports/index.js';

export interface EventPage {
  readonly events: StoredEvent[];
  /** If the page is not full, it contains everything up to this id. */
  readonly lastEventId: number;
  readonly chat: ChatRecord | undefined;
}

/** A page of a world's or chat's log. Undefined if it was deleted. */
export async function readEventPage(
  reader: StoreReader,
  worldId: string,
  { chatId, ...from }: { chatId: string | undefined; after: number; limit: number },
): Promise<EventPage | undefined> {
  // Read the events last, so that the page is never older than the other reads.
  const chat = chatId === undefined ? undefined : await reader.chat(chatId);
  const isThere = chatId === undefined ? (await reader.worldRev(worldId)) !== undefined : chat?.worldId === worldId;
  if (!isThere) return undefined;
  const lastEventId = await reader.lastEventId(worldId);
  const events = await reader.events(worldId, { ...from, ...(chatId === undefined ? {} : { chatId }) });
  return { events, lastEventId, chat };
}
