import { describe, expect, it } from 'vitest';
import { shouldAgentRespond } from './should-agent-respond.js';

const alice = { id: 'alice', name: 'Alice', active: true };
const bob = { id: 'bob', name: 'Bob', active: true };
const off = { id: 'off', name: 'Off', active: false };
const world = { agents: [alice, bob, off] };
const said = (content: string) => ({ content, speaker: { kind: 'human' }, role: 'user' }) as const;

describe('shouldAgentRespond', () => {
  it('[M2] every active agent answers what addresses nobody, or the main agent alone', () => {
    expect([alice, bob, off].map((agent) => shouldAgentRespond(agent, said('hi'), world))).toEqual([true, true, false]);
    expect([alice, bob].map((agent) => shouldAgentRespond(agent, said('hi'), { ...world, mainAgent: 'bob' }))).toEqual([
      false,
      true,
    ]);
  });

  it('[M3] only the addressed answer', () => {
    expect([alice, bob, off].map((agent) => shouldAgentRespond(agent, said('@bob @off hi'), world))).toEqual([
      false,
      true,
      false,
    ]);
  });

  it('[M4] an agent does not answer itself', () => {
    const message = {
      content: '@alice @bob hi',
      speaker: { kind: 'agent', agentId: 'bob' },
      role: 'assistant',
    } as const;
    expect([alice, bob].map((agent) => shouldAgentRespond(agent, message, world))).toEqual([true, false]);
  });

  it('[M12] a tool message is answered by nobody, whatever it says', () => {
    for (const content of ['@bob hi', 'hi']) {
      expect(shouldAgentRespond(bob, { content, speaker: { kind: 'human' }, role: 'tool' }, world)).toBe(false);
    }
  });
});
