import { imageTypeSchema } from '@countersign/protocol';
import type { ModelImage, ModelMessage, StoreReader } from '../ports/index.js';
import { findAttachment } from './chat-messages.js';

/** Enough to compare a few pictures. Every model call sends them again, so an older one is only described. */
const MAX_IMAGES = 8;
/** In base64. Vendors refuse larger requests, the smallest limit being 20 MB. */
const MAX_CHARACTERS = 12_000_000;

/** Whether `addImages` would read anything. */
export function hasImages(messages: readonly ModelMessage[]): boolean {
  return messages.some(
    (message) => message.role === 'tool' && message.attachments?.some(({ kind }) => kind === 'image') === true,
  );
}

/** Adds the newest images of a view to its results (MODEL12). The cost is limited, however long the chat is. */
export async function addImages(
  reader: Pick<StoreReader, 'attachment' | 'chat'>,
  chatId: string,
  messages: readonly ModelMessage[],
): Promise<ModelMessage[]> {
  let count = 0;
  let characters = 0;
  const added = [...messages];
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    if (message?.role !== 'tool') continue;
    const images: ModelImage[] = [];
    for (const { id, kind, bytes } of message.attachments ?? []) {
      const length = Math.ceil(bytes / 3) * 4;
      if (kind !== 'image' || count >= MAX_IMAGES || characters + length > MAX_CHARACTERS) continue;
      const found = await findAttachment(reader, chatId, id);
      const type = imageTypeSchema.safeParse(found?.mimeType);
      if (found === undefined || !type.success) continue;
      count += 1;
      characters += length;
      images.push({ mimeType: type.data, data: found.data });
    }
    if (images.length > 0) added[index] = { ...message, images };
  }
  return added;
}
