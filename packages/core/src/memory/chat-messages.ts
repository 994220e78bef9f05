import {
  allPartsOf,
  partsOf,
  type AttachmentRecord,
  type ChatRecord,
  type MessageRecord,
  type StoreReader,
} from '../ports/index.js';

type Chat = Pick<ChatRecord, 'id' | 'parts'>;

/** The messages of a chat after a position, oldest first, including those that a branch begins with. */
export async function readMessages(
  reader: StoreReader,
  chat: Chat,
  { after, limit }: { after: number; limit: number },
): Promise<MessageRecord[]> {
  const found: MessageRecord[] = [];
  let from = after;
  for (const { chatId, upto } of allPartsOf(chat)) {
    if (from >= upto) continue;
    const page = await reader.messages(chatId, { after: from, limit: limit - found.length });
    found.push(...page.filter(({ seq }) => seq <= upto));
    if (found.length === limit) break;
    from = upto;
  }
  return found;
}

/** The newest messages of a chat before a position, oldest first. */
export async function readLastMessages(
  reader: StoreReader,
  chat: Chat,
  { before = Number.MAX_SAFE_INTEGER, limit }: { before?: number; limit: number },
): Promise<MessageRecord[]> {
  let found: MessageRecord[] = [];
  for (const { chatId, upto } of allPartsOf(chat).toReversed()) {
    if (found.length === limit) break;
    const end = Math.min(before, upto + 1);
    found = [...(await reader.lastMessages(chatId, { limit: limit - found.length, before: end })), ...found];
  }
  return found;
}

/** A file that a tool returned in a chat, or in one that it begins with. */
export async function findAttachment(
  reader: Pick<StoreReader, 'attachment' | 'chat'>,
  chatId: string,
  id: string,
): Promise<AttachmentRecord | undefined> {
  const own = await reader.attachment(chatId, id);
  const chat = own === undefined ? await reader.chat(chatId) : undefined;
  for (const part of chat === undefined ? [] : partsOf(chat)) {
    const found = await reader.attachment(part.chatId, id);
    if (found !== undefined) return found;
  }
  return own;
}
