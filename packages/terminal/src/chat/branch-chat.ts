import { readAll, type Client } from '@countersign/client';
import type { Chat, Message } from '@countersign/protocol';
import { CommandError } from '../command-error.js';
import { EXIT } from '../exit-codes.js';
import { chatWords } from '../words/chat.js';

/** A branch after an answer, or after the last one. */
export async function branchAfter(client: Client, world: string, chat: string, answer?: string): Promise<Chat> {
  const isMeant = (message: Message): boolean =>
    isAnswer(message) && (answer === undefined || message.messageId === answer);
  return await branchAt(client, world, chat, isMeant);
}

/** `/branch`: after the last answer, or with this text in place of the last message of a person. */
export async function branchHere(client: Client, world: string, chat: string, text: string): Promise<Chat> {
  if (text === '') return await branchAfter(client, world, chat);
  return await branchAt(client, world, chat, isFromPerson, text);
}

async function branchAt(
  client: Client,
  world: string,
  chat: string,
  isMeant: (message: Message) => boolean,
  content?: string,
): Promise<Chat> {
  const messages = await readAll((page) => client.messages(world, chat, page));
  const from = messages.findLast(isMeant);
  if (from === undefined) throw new CommandError(chatWords.nothingToBranch, EXIT.usage);
  return await client.branch(world, chat, {
    fromMessageId: from.messageId,
    ...(content === undefined ? {} : { content }),
  });
}

function isAnswer({ role, agentId, tool_calls: calls }: Message): boolean {
  return role === 'assistant' && agentId !== undefined && calls === undefined;
}

function isFromPerson({ role, who }: Message): boolean {
  return role === 'user' && who !== undefined;
}
