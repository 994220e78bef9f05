import { setImmediate } from 'node:timers';
import { expect, it } from 'vitest';
import type { MessageRecord } from '../ports/index.js';
import { showMessages } from './show-messages.js';

function answer(seq: number, thinking: string): MessageRecord {
  return {
    id: `message_${seq}`,
    worldId: 'world',
    chatId: 'chat',
    seq,
    role: 'assistant',
    sender: 'scout',
    who: null,
    speaker: 'agent',
    agentId: 'scout',
    turnId: null,
    iteration: 1,
    replyTo: null,
    content: 'Done.',
    toolCalls: null,
    toolCallId: null,
    addressees: [],
    providerState: {
      provider: 'any',
      model: 'any',
      usage: { inputTokens: 1, outputTokens: 1 },
      thinking,
      vendorIds: [],
    },
    clientMessageId: null,
    attachments: null,
    secrets: [],
    createdAt: 0,
  };
}

it('[MODEL11] yields to the event loop before masking each long thinking text, as for long messages', async () => {
  const messages = [answer(1, 'short'), answer(2, 'word '.repeat(10_000))].map((record) => ({ record, calls: [] }));
  let ran = false;
  setImmediate(() => {
    ran = true;
  });
  await showMessages(messages.slice(0, 1));
  expect(ran).toBe(false);
  await showMessages(messages.slice(1));
  expect(ran).toBe(true);
});
