import { describe, expect, it } from 'vitest';
import type { MessageRecord, StoreReader, TurnRecord } from '../ports/index.js';
import { turnId } from '../turn/ids.js';
import { createTurnMessages } from './turn-messages.js';

function message(id: string, change: Partial<MessageRecord> = {}): MessageRecord {
  return {
    id,
    worldId: 'w',
    chatId: 'chat_1',
    seq: 1,
    role: 'user',
    sender: 'human',
    speaker: 'human',
    agentId: null,
    turnId: null,
    iteration: null,
    replyTo: null,
    content: id,
    toolCalls: null,
    toolCallId: null,
    addressees: [],
    providerState: null,
    clientMessageId: null,
    secrets: [],
    createdAt: 1,
    ...change,
  };
}

const id = turnId('msg_1', 'ada');
const turn = { id, triggerId: 'msg_1' } as TurnRecord;
const trigger = message('msg_1', { addressees: ['ada'] });
const answer = message('msg_2', { turnId: id, role: 'assistant', speaker: 'agent' });

/** What the store would say, and how often it was asked. */
function reader() {
  const asked: string[] = [];
  const read = {
    message: async (wanted: string) => (asked.push(wanted), trigger),
    messagesOfTurn: async (wanted: string) => (asked.push(wanted), [answer]),
  } as Pick<StoreReader, 'message' | 'messagesOfTurn'> as StoreReader;
  return { read, asked };
}

describe('messages of a turn', () => {
  it('[C1] [N1] that was heard from its first one on are not read', async () => {
    const { read, asked } = reader();
    const memory = createTurnMessages(true);
    memory.heard(trigger);
    memory.heard(answer);
    expect(await memory.of(read, turn)).toMatchObject({ trigger, own: [answer] });
    expect(asked).toEqual([]);
  });

  it.each<[string, (memory: ReturnType<typeof createTurnMessages>) => void]>([
    ['began before anybody listened', (memory) => memory.heard(answer)],
    [
      'is of a chat that was forgotten',
      (memory) => {
        memory.heard(trigger);
        memory.forgetChat('chat_1');
        memory.heard(answer);
      },
    ],
    [
      'holds state of a provider, which is given back as it was stored',
      (memory) => {
        memory.heard(trigger);
        const usage = { inputTokens: 1, outputTokens: 1 };
        const providerState = { provider: 'p', model: 'm', usage, state: { signed: true }, vendorIds: [] };
        memory.heard({ ...answer, providerState });
      },
    ],
    [
      'was followed by a great many others',
      (memory) => {
        memory.heard(trigger);
        for (let n = 10; n < 600; n += 1) memory.heard(message(`msg_${n}`, { addressees: ['ada'] }));
      },
    ],
    [
      'was followed by a lot of text',
      (memory) => {
        memory.heard(trigger);
        memory.heard(message('msg_9', { addressees: ['ada'], content: 'x'.repeat(9_000_000) }));
      },
    ],
  ])('[C1] of a turn that %s are read', async (_, hear) => {
    const { read, asked } = reader();
    const memory = createTurnMessages(true);
    hear(memory);
    expect(await memory.of(read, turn)).toMatchObject({ trigger, own: [answer] });
    expect(asked).toEqual(['msg_1', id]);
  });

  it('[S4] are always read where other processes write, too', async () => {
    const { read, asked } = reader();
    const memory = createTurnMessages(false);
    memory.heard(trigger);
    await memory.of(read, turn);
    expect(asked).toEqual(['msg_1', id]);
  });
});
