import { DEFAULT_CHAT_TITLE } from '@countersign/protocol';
import type { ChatRecord } from '../ports/index.js';
import { newId } from '../turn/ids.js';
import { commit, type Runtime } from '../step/runtime.js';

export async function createChat(runtime: Runtime, worldId: string, title?: string): Promise<ChatRecord> {
  return await commit(runtime, 'create-chat', worldId, async (step) => {
    const chat = await step.tx.insertChat({ id: newId('chat'), worldId, title: DEFAULT_CHAT_TITLE });
    if (title !== undefined) await step.tx.setChatTitle(chat.id, title);
    step.tx.emit({ event: 'crud', chatId: chat.id, data: { operation: 'create', entity: 'chat', id: chat.id } });
    return { ...chat, title: title ?? chat.title, titled: title !== undefined };
  });
}
