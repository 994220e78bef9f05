import type { Client } from '@countersign/client';
import type { SentAttachment } from '@countersign/protocol';
import { chatWords } from '../words/chat.js';

/** Stores the files in the chat, in order. */
export async function upload(
  client: Client,
  { worldId, chatId }: { worldId: string; chatId: string },
  files: readonly File[],
): Promise<SentAttachment[]> {
  const sent: SentAttachment[] = [];
  for (const file of files) {
    const { id, name } = await client.attach(worldId, chatId, { name: nameOf(file), base64: await toBase64(file) });
    sent.push({ id, name });
  }
  return sent;
}

/** Names can contain what the server refuses, such as line breaks. */
function nameOf({ name }: File): string {
  const plain = name.replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '_').trim();
  return plain === '' ? 'file' : plain.slice(-200).trim();
}

function toBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () =>
      resolve(typeof reader.result === 'string' ? reader.result.replace(/^[^,]*,?/, '') : ''),
    );
    reader.addEventListener('error', () => reject(reader.error ?? new Error(chatWords.unreadable(file.name))));
    reader.readAsDataURL(file);
  });
}
