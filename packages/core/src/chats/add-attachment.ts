import {
  CountersignError,
  newAttachmentSchema,
  parseInput,
  type MessageAttachment,
  type NewAttachment,
  type SentAttachment,
} from '@countersign/protocol';
import type { AttachmentRecord, StoreReader } from '../ports/index.js';
import { collectAttachments } from '../results/index.js';
import { chatIn } from '../step/commit.js';
import type { Runtime } from '../step/runtime.js';

/** About 25,000 tokens. */
const LONGEST_TEXT = 100_000;

/** Stores a file, so that messages of this chat can name it (TURN17). */
export async function addAttachment(
  runtime: Runtime,
  worldId: string,
  chatId: string,
  given: NewAttachment,
): Promise<MessageAttachment> {
  const { name, base64 } = parseInput(newAttachmentSchema, given, 'attachment');
  const stored = await runtime.store.read(async (reader) => {
    chatIn(await reader.chat(chatId), worldId, chatId);
    return await reader.attachmentBytes(chatId);
  });
  const collector = collectAttachments(() => runtime.ownSecrets(), stored);
  // What the sender says about the type has no effect.
  const made = collector.attach({ mimeType: 'text/plain', base64 });
  if ('refused' in made) throw invalid('base64', made.refused);
  const [file] = collector.files();
  if (file === undefined) throw invalid('base64', 'empty');
  const attachment = describeAttachment(file, name);
  if (attachment === undefined) throw invalid('base64', UNFIT);
  await runtime.store.transact(worldId, (tx) => tx.insertAttachment({ ...file, chatId }));
  return attachment;
}

/** The files that a message names. They were stored in this chat before, by a person or a tool. */
export async function readSent(
  reader: StoreReader,
  { worldId, chatId }: { worldId: string; chatId: string },
  sent: readonly SentAttachment[],
): Promise<MessageAttachment[]> {
  chatIn(await reader.chat(chatId), worldId, chatId);
  const found: MessageAttachment[] = [];
  for (const [index, { id, name }] of sent.entries()) {
    const field = `attachments.${index}.id`;
    const file = await reader.attachment(chatId, id);
    if (file === undefined) throw invalid(field, 'there is no such attachment in this chat. Attach the file first');
    const attachment = describeAttachment(file, name);
    if (attachment === undefined) throw invalid(field, UNFIT);
    found.push(attachment);
  }
  return found;
}

const UNFIT = 'must be a PNG, JPEG, GIF or WebP picture, or a text file in UTF-8 of at most 100 kB';

/** The type follows from the content. Undefined if models could not use it. */
function describeAttachment(
  { id, kind, mimeType, data }: Pick<AttachmentRecord, 'id' | 'kind' | 'mimeType' | 'data'>,
  name: string,
): MessageAttachment | undefined {
  const content = Buffer.from(data, 'base64');
  const bytes = content.length;
  if (kind === 'image') return { id, name, kind, mimeType, bytes };
  if (bytes > LONGEST_TEXT || textIn(content) === undefined) return undefined;
  return { id, name, kind: 'text', mimeType: 'text/plain', bytes };
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Undefined if it isn't text. */
function textIn(content: Uint8Array): string | undefined {
  try {
    const text = decoder.decode(content);
    return /[^\P{Cc}\t\n\r\f]/u.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

function invalid(field: string, detail: string): CountersignError {
  return new CountersignError('invalid', `${field}: ${detail}`, { field });
}
