import { describe, expect, it } from 'vitest';
import type { MessageRecord, StoreReader, TurnRecord } from '../ports/index.js';
import { turnId } from '../turn/ids.js';
import { createAgentMemory, type AgentMemory } from './agent-memory.js';
import type { ViewFor } from './model-messages.js';

function message(id: string, change: Partial<MessageRecord> = {}): MessageRecord {
  return {
    id,
    worldId: 'w',
    chatId: 'chat_1',
    seq: 1,
    role: 'user',
    sender: 'human',
    who: null,
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
    attachments: null,
    secrets: [],
    createdAt: 1,
    ...change,
  };
}

const id = turnId('msg_1', 'ada');
const turn = { id, triggerId: 'msg_1' } as TurnRecord;
const trigger = message('msg_1', { addressees: ['ada'] });
const answer = message('msg_2', { turnId: id, role: 'assistant', speaker: 'agent' });

function hear(memory: AgentMemory, message: MessageRecord): void {
  memory.apply({ kind: 'message-written', message });
}

/** A fake store reader that records its reads. */
function reader() {
  const asked: string[] = [];
  const read = {
    message: async (wanted: string) => (asked.push(wanted), trigger),
    messagesOfTurn: async (wanted: string) => (asked.push(wanted), [answer]),
  } as Pick<StoreReader, 'message' | 'messagesOfTurn'> as StoreReader;
  return { read, asked };
}

describe('messages of a turn', () => {
  it('[WORLD14] [LIMIT1] are not read if the turn was followed from its first message', async () => {
    const { read, asked } = reader();
    const memory = createAgentMemory();
    hear(memory, trigger);
    hear(memory, answer);
    expect(await memory.current(read, turn)).toMatchObject({ trigger, own: [answer] });
    expect(asked).toEqual([]);
  });

  it.each<[string, (memory: AgentMemory) => void]>([
    ['started before it was followed', (memory) => hear(memory, answer)],
    [
      'belongs to a chat that was forgotten',
      (memory) => {
        hear(memory, trigger);
        memory.forgetChat('chat_1');
        hear(memory, answer);
      },
    ],
    [
      'has provider state, which must be returned as it was stored',
      (memory) => {
        hear(memory, trigger);
        const usage = { inputTokens: 1, outputTokens: 1 };
        const providerState = { provider: 'p', model: 'm', usage, state: { signed: true }, vendorIds: [] };
        hear(memory, { ...answer, providerState });
      },
    ],
    [
      'was evicted by many later turns',
      (memory) => {
        hear(memory, trigger);
        for (let n = 10; n < 600; n += 1) hear(memory, message(`msg_${n}`, { addressees: ['ada'] }));
      },
    ],
    [
      'was evicted by a lot of text',
      (memory) => {
        hear(memory, trigger);
        hear(memory, message('msg_9', { addressees: ['ada'], content: 'x'.repeat(9_000_000) }));
      },
    ],
  ])('[WORLD14] of a turn that %s are read', async (_, hearAll) => {
    const { read, asked } = reader();
    const memory = createAgentMemory();
    hearAll(memory);
    expect(await memory.current(read, turn)).toMatchObject({ trigger, own: [answer] });
    expect(asked).toEqual(['msg_1', id]);
  });

  it('[STORE4] are read after another process wrote to their chat', async () => {
    const { read, asked } = reader();
    const memory = createAgentMemory();
    hear(memory, trigger);
    memory.forgetChat(trigger.chatId);
    await memory.current(read, turn);
    expect(asked).toEqual(['msg_1', id]);
  });
});

describe('ended turns', () => {
  const view: ViewFor = { provider: 'p', model: 'm', takesImages: true, version: 1, speakerName: () => undefined };
  const BUDGET = 10_000;
  const nth = (n: number): TurnRecord =>
    ({
      id: turnId(`msg_${n}`, 'ada'),
      chatId: 'chat_1',
      agentId: 'ada',
      triggerId: `msg_${n}`,
      triggerSeq: n,
    }) as TurnRecord;
  const none = { chat: async () => undefined, endedTurns: async () => [] } as Pick<
    StoreReader,
    'chat' | 'endedTurns'
  > as StoreReader;
  const usage = { inputTokens: 1, outputTokens: 1 };

  /** Queues and ends the turn, and writes its answer with its end, as in a step. */
  function take(memory: AgentMemory, n: number, state?: unknown): void {
    const { id } = nth(n);
    hear(memory, message(`msg_${n}`, { seq: n, addressees: ['ada'], content: `ask ${n}` }));
    memory.apply({ kind: 'turn-changed', chatId: 'chat_1', turnId: id, change: { state: 'ended' } });
    const from = { provider: 'p', model: 'm', usage, vendorIds: [], ...(state === undefined ? {} : { state }) };
    const said = {
      turnId: id,
      role: 'assistant',
      speaker: 'agent',
      content: `answer ${n}`,
      providerState: from,
    } as const;
    hear(memory, message(`msg_${n}a`, { seq: n + 1, ...said }));
  }
  const contents = (past: Awaited<ReturnType<AgentMemory['past']>>): string[] | undefined =>
    past?.messages.map(({ content }) => content);

  async function followed(): Promise<AgentMemory> {
    const memory = createAgentMemory();
    expect(memory.past(undefined, nth(1), view, BUDGET)).toBeUndefined();
    expect(contents(await memory.past(none, nth(1), view, BUDGET))).toEqual([]);
    return memory;
  }

  it('[WORLD14] [LIMIT1] are not read if they were followed, including messages written after their end', async () => {
    const memory = await followed();
    take(memory, 1);
    take(memory, 3);
    const past = memory.past(undefined, nth(5), view, BUDGET);
    expect(past).not.toBeInstanceOf(Promise);
    expect(contents(await past)).toEqual(['ask 1', 'answer 1', 'ask 3', 'answer 3']);
  });

  it('[WORLD14] are read if one of them was not followed from its start', async () => {
    const memory = await followed();
    memory.apply({ kind: 'turn-changed', chatId: 'chat_1', turnId: nth(1).id, change: { state: 'ended' } });
    expect(memory.past(undefined, nth(3), view, BUDGET)).toBeUndefined();
  });

  it('[MODEL1] are read if the answer that ended one has provider state', async () => {
    const memory = await followed();
    take(memory, 1, { thought: 'x' });
    expect(memory.past(undefined, nth(3), view, BUDGET)).toBeUndefined();
  });

  it('[WORLD14] are read again for another model, or after the world has changed', async () => {
    const memory = await followed();
    take(memory, 1);
    expect(memory.past(undefined, nth(3), { ...view, model: 'other' }, BUDGET)).toBeUndefined();
    expect(memory.past(undefined, nth(3), { ...view, version: 2 }, BUDGET)).toBeUndefined();
    expect(contents(await memory.past(undefined, nth(3), view, BUDGET))).toEqual(['ask 1', 'answer 1']);
  });

  it('[STORE1] are read after a step that was rolled back', async () => {
    const memory = await followed();
    take(memory, 1);
    memory.forgetChat('chat_1');
    expect(memory.past(undefined, nth(3), view, BUDGET)).toBeUndefined();
  });
});
