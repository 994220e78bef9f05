import { agentSchema, type Approval, type Message } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { emptyChat, reduceChat } from './reduce-chat.js';
import { approvalsBlocking } from './selectors.js';
import { heldText } from '../show/people/held-text.js';

const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

const agents = ['Scout', 'Mason', 'Mason Junior'].map((name) =>
  agentSchema.parse({ id: name.toLowerCase().replace(' ', '-'), name, provider: 'scripted', model: 'any' }),
);

const waiting: Approval = {
  approvalId: 'approval_1',
  toolCallId: 'call_1',
  turnId: 'turn_1',
  agentId: 'mason',
  agentName: 'Mason',
  chatId: 'chat_1',
  toolName: 'stamp',
  arguments: {},
  message: 'Run stamp',
  options: ['deny'],
  callHash: 'hash',
  status: 'pending',
  requestedAt: at(10),
  workingDirectory: '/',
  sandbox: { kind: 'none', network: 'all', hosts: [], readable: [] },
  reason: { code: 'no-rule' },
  why: 'no rule allows this call',
};

function heldBy(content: string, second: number, more: Partial<Message> = {}, mainAgent?: string): string[] {
  const message: Message = {
    messageId: 'msg_1',
    chatId: 'chat_1',
    role: 'user',
    sender: 'human',
    content,
    createdAt: at(second),
    ...more,
  };
  const state = reduceChat(emptyChat('w', 'chat_1'), {
    type: 'loaded',
    position: 1,
    chat: { id: 'chat_1', title: '', status: 'waiting', createdAt: at(0) },
    messages: { items: [message] },
    approvals: [waiting],
    agents,
  });
  return approvalsBlocking(state, 'msg_1', mainAgent).map(({ agentId }) => agentId);
}

describe('what blocks the answer to a message', () => {
  it('[WORLD11] is an approval requested before it, even if others have spoken since', () => {
    expect(heldBy('and then?', 20)).toEqual(['mason']);
    expect(heldBy('and then?', 5)).toEqual([]);
    expect(heldBy('what made it ask', 10)).toEqual([]);
    const answer = { role: 'assistant', sender: 'scout', agentId: 'scout' } as const;
    expect(heldBy('I am done', 20, answer)).toEqual([]);
  });

  it('[WORLD11] includes the names of the waiting agents, because others may still answer', () => {
    expect(heldText({ agents }, [waiting])).toBe("Mason can't answer until you decide on the waiting calls.");
    expect(heldText({ agents }, [waiting, waiting, { ...waiting, agentId: 'scout' }])).toBe(
      "Mason and Scout can't answer until you decide on the waiting calls.",
    );
  });

  it('[WORLD3] [WORLD11] is not an approval for an agent that will not answer', () => {
    expect(heldBy('@scout what do you see?', 20)).toEqual([]);
    expect(heldBy('look:\n  @Mason, @scout go on', 20)).toEqual(['mason']);
    expect(heldBy('@scout, @MASON: go on', 20)).toEqual(['mason']);
    expect(heldBy('@mason junior go on', 20)).toEqual([]);
    expect(heldBy('and then?', 20, {}, 'scout')).toEqual([]);
    expect(heldBy('and then?', 20, {}, 'mason')).toEqual(['mason']);
    expect(heldBy('I asked @scout', 20)).toEqual([]);
    expect(heldBy('@human hello', 20)).toEqual([]);
  });
});
