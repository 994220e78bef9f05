import type { ChatPart, ChatRecord } from './records.js';

/** What a branch begins with, oldest first. Positions continue from part to part. */
export function partsOf({ parts }: Pick<ChatRecord, 'parts'>): readonly ChatPart[] {
  return parts === null ? [] : (JSON.parse(parts) as ChatPart[]);
}

/** All parts of a chat, oldest first; the last one is its own messages. */
export function allPartsOf(chat: Pick<ChatRecord, 'id' | 'parts'>): readonly ChatPart[] {
  return [...partsOf(chat), { chatId: chat.id, upto: Number.MAX_SAFE_INTEGER - 1 }];
}

/** Whether a message or turn at this position is part of a chat. */
export function isPartOf(
  chat: Pick<ChatRecord, 'id' | 'parts'>,
  { chatId, seq }: { readonly chatId: string; readonly seq: number },
): boolean {
  return allPartsOf(chat).some((part) => part.chatId === chatId && seq <= part.upto);
}
