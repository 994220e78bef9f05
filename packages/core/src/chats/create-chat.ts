import { DEFAULT_CHAT_TITLE } from '@countersign/protocol';
import type { ChatRecord } from '../ports/index.js';
import { newId } from '../turn/ids.js';
import { commit } from '../step/commit.js';
import type { Runtime } from '../step/runtime.js';

export async function createChat(runtime: Runtime, worldId: string, title?: string): Promise<ChatRecord> {
  return await commit(runtime, 'create-chat', worldId, { chats: [] }, (step) => {
    const chat: ChatRecord = {
      id: newId('chat'),
      worldId,
      title: title ?? DEFAULT_CHAT_TITLE,
      titled: title !== undefined,
      status: 'idle',
      lastSeq: 0,
      humanSeq: 0,
      session: null,
      createdAt: step.tx.now(),
    };
    step.tx.write({ kind: 'chat-created', chat });
    return chat;
  });
}
