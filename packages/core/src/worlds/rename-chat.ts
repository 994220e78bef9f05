import { chatChangeSchema, parseInput, type Chat, type ChatChange } from '@countersign/protocol';
import { chatIn } from '../step/look-up.js';
import { commit, type Runtime } from '../step/runtime.js';
import { toChat } from './show-world.js';

/** A title that a person gives is kept: no model titles the chat after that (M7). */
export async function renameChat(runtime: Runtime, worldId: string, chatId: string, change: ChatChange): Promise<Chat> {
  const { title } = parseInput(chatChangeSchema, change, 'chat');
  return await commit(runtime, 'rename-chat', worldId, { chats: [chatId] }, (step) => {
    const chat = chatIn(step.tx.chat(chatId), worldId, chatId);
    step.tx.changeChat(chatId, { title, titled: true });
    step.tx.emit({ event: 'crud', chatId, data: { operation: 'update', entity: 'chat', id: chatId } });
    step.tx.emit({ event: 'system', chatId, data: { type: 'title', message: title } });
    return toChat({ ...chat, title });
  });
}
