import { chatChangeSchema, parseInput, type Chat, type ChatChange } from '@countersign/protocol';
import { chatIn, commit } from '../step/commit.js';
import type { Runtime } from '../step/runtime.js';
import { toChat } from './show-world.js';

/** A title from a person is final: no model renames the chat after that (WORLD7). */
export async function changeChat(runtime: Runtime, worldId: string, chatId: string, change: ChatChange): Promise<Chat> {
  const { title, filed } = parseInput(chatChangeSchema, change, 'chat');
  return await commit(runtime, 'change-chat', worldId, { chats: [chatId] }, ({ tx }) => {
    const chat = chatIn(tx.chat(chatId), worldId, chatId);
    if (title !== undefined) tx.write({ kind: 'chat-titled', chatId, title });
    if (filed !== undefined) tx.write({ kind: 'chat-filed', chatId, filed });
    return toChat({ ...chat, title: title ?? chat.title, filed: filed === undefined ? chat.filed : filed });
  });
}
