import { pageMessages, showChat, type Runtime } from '@countersign/core';
import { END_OF_LIST, type Chat, type ExportFormat, type Message } from '@countersign/protocol';
import type { Log } from '../../app/context.js';
import { headingOf, messageText } from './chat-markdown.js';
import { streamDownload } from './stream-download.js';

/** Messages can be long, so few are in memory at a time. */
const BATCH = 20;

/** A chat as it was when the export started: messages that are written meanwhile are left out, so it ends. */
export async function exportChat(
  runtime: Runtime,
  worldId: string,
  chatId: string,
  { format, log }: { format: ExportFormat; log: Log },
): Promise<Response> {
  const { lastEventId: _, ...chat } = await showChat(runtime, worldId, chatId);
  const batches = readBatches(runtime, worldId, chatId);
  const parts = format === 'md' ? markdownOf(chat, batches) : jsonOf(chat, batches);
  const type = format === 'md' ? 'text/markdown; charset=utf-8' : 'application/json';
  return await streamDownload(parts, { type, file: `${chatId}.${format}`, log });
}

async function* readBatches(runtime: Runtime, worldId: string, chatId: string): AsyncGenerator<Message[]> {
  const newest = await pageMessages(runtime, worldId, chatId, { before: END_OF_LIST, limit: 1 });
  const end = newest.items[0]?.messageId;
  if (end === undefined) return;
  for (let after: { after?: string } = {}; ;) {
    const { items } = await pageMessages(runtime, worldId, chatId, { ...after, limit: BATCH });
    const at = items.findIndex(({ messageId }) => messageId === end);
    yield at < 0 ? items : items.slice(0, at + 1);
    const last = items.at(-1)?.messageId;
    if (at >= 0 || last === undefined) return;
    after = { after: last };
  }
}

async function* jsonOf(chat: Chat, batches: AsyncGenerator<Message[]>): AsyncGenerator<string> {
  yield `{"chat":${JSON.stringify(chat)},"messages":[`;
  let separator = '\n';
  for await (const messages of batches) {
    for (const message of messages) {
      yield separator + JSON.stringify(message);
      separator = ',\n';
    }
  }
  yield '\n]}\n';
}

async function* markdownOf(chat: Chat, batches: AsyncGenerator<Message[]>): AsyncGenerator<string> {
  yield headingOf(chat);
  for await (const messages of batches) yield messages.map(messageText).join('');
}
