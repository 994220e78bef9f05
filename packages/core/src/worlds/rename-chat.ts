import { chatChangeSchema, parseInput, type Chat, type ChatChange } from '@countersign/protocol';
import { chatIn, commit } from '../step/commit.js';
import type { Runtime } from '../step/runtime.js';
import { toChat } from './show-world.js';

/** A title from a person is final: no model renames the chat after that (WORLD7). */
export async function renameChat(runtime: Runtime, worldId: string, chatId: string, change: ChatChange): Promise<Chat> {
  const { title } = parseInput(chatChangeSchema, change, 'chat');
  return await commit(runtime, 'rename-chat', worldId, { chats: [chatId] }, (step) => {
    const chat = chatIn(step.tx.chat(chatId), worldId, chatId);
    step.tx.write({ kind: 'chat-titled', chatId, title });
    return toChat({ ...chat, title });
  });
}
