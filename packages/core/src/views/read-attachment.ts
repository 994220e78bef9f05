import { CountersignError } from '@countersign/protocol';
import { findAttachment } from '../memory/chat-messages.js';
import type { AttachmentRecord } from '../ports/index.js';
import type { Runtime } from '../step/runtime.js';
import { readChat } from '../worlds/show-world.js';

/** A file that a tool returned in this chat (TURN16). */
export async function readAttachment(
  runtime: Runtime,
  worldId: string,
  chatId: string,
  id: string,
): Promise<AttachmentRecord> {
  const found = await readChat(runtime, worldId, chatId, (reader) => findAttachment(reader, chatId, id));
  if (found === undefined) throw new CountersignError('not-found', 'There is no such attachment in this chat.');
  return found;
}
