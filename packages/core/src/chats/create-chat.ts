import { DEFAULT_CHAT_TITLE } from '@countersign/protocol';
import type { ChatRecord } from '../ports/index.js';
import { newId } from '../turn/ids.js';
import { commit } from '../step/commit.js';
import type { Runtime, Step } from '../step/runtime.js';

export async function createChat(runtime: Runtime, worldId: string, title?: string): Promise<ChatRecord> {
  return await commit(runtime, 'create-chat', worldId, { chats: [] }, (step) => {
    const chat = newChat(step, { title: title ?? DEFAULT_CHAT_TITLE, titled: title !== undefined });
    step.tx.write({ kind: 'chat-created', chat });
    return chat;
  });
}

/** What every new chat has. */
export const EMPTY_CHAT = {
  status: 'idle',
  lastSeq: 0,
  humanSeq: 0,
  session: null,
  root: null,
  parts: null,
  branches: 0,
  filed: null,
} as const;

export function newChat(
  { tx, snapshot }: Step,
  given: Pick<ChatRecord, 'title' | 'titled'> & Partial<ChatRecord>,
): ChatRecord {
  return {
    id: newId('chat'),
    worldId: snapshot.world.id,
    ...EMPTY_CHAT,
    createdAt: tx.now(),
    ...given,
  };
}
