import type { NewMessage } from '@countersign/core/ports';
import { stepOf } from '@countersign/core/testing';
import type { HarbourServer } from './harbour-server.js';

/** A chat with this many numbered messages from a person. Nobody answers. */
export async function chatWith({ client, serving }: HarbourServer, count: number): Promise<string> {
  const { id } = await client.createChat('docks');
  await stepOf(serving().home.engine.runtime.store, 'docks', { chats: [id] }, (tx) => {
    for (let number = 1; number <= count; number += 1) tx.appendMessage(messageOf(number, id));
  });
  return id;
}

function messageOf(number: number, chatId: string): NewMessage {
  return {
    id: `msg_${chatId.slice(5)}${String(number).padStart(6, '0')}`,
    worldId: 'docks',
    chatId,
    role: 'user',
    sender: 'human',
    who: null,
    speaker: 'human',
    agentId: null,
    turnId: null,
    iteration: null,
    replyTo: null,
    content: `this is number ${number} of many`,
    addressees: [],
    toolCalls: null,
    toolCallId: null,
    clientMessageId: null,
    attachments: null,
    providerState: null,
    secrets: [],
  };
}
