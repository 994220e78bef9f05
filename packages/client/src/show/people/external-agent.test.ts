import { agentSchema, type Message } from '@countersign/protocol';
import { expect, it } from 'vitest';
import { emptyChat, reduceChat } from '../../state/reduce-chat.js';
import { externalAgent } from './external-agent.js';

const agents = [
  agentSchema.parse({ id: 'claude', name: 'Claude', provider: 'external', model: 'claude' }),
  agentSchema.parse({ id: 'scout', name: 'Scout', provider: 'scripted', model: 'any' }),
];
const createdAt = new Date(0).toISOString();

function found(...senders: string[]): string | undefined {
  const items = senders.map((sender, index): Message => {
    const line = { messageId: `msg_${index}`, chatId: 'chat_1', sender, content: 'x', createdAt };
    return sender === 'human' ? { ...line, role: 'user' } : { ...line, role: 'assistant', agentId: sender };
  });
  const state = reduceChat(emptyChat('w', 'chat_1'), {
    type: 'loaded',
    position: 1,
    chat: { id: 'chat_1', title: '', status: 'idle', createdAt },
    messages: { items },
    approvals: [],
    agents,
  });
  return externalAgent(state)?.name;
}

it('[EXT1.14] finds the agent outside of a chat in which nobody else has written', () => {
  expect(found('claude', 'claude')).toBe('Claude');
  for (const senders of [[], ['claude', 'human'], ['human', 'claude'], ['scout', 'claude'], ['removed', 'claude']])
    expect(found(...senders)).toBeUndefined();
});
