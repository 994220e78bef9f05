import type { Approval, WorldEvent } from '@countersign/protocol';
import { worldSchema } from '@countersign/protocol';
import { expect, it } from 'vitest';
import { emptyWorld, reduceWorld } from './reduce-world.js';
import { placeInQueue, waitingCount } from './selectors.js';
import type { WorldState } from './state.js';

const approval = (n: number): Approval => ({
  approvalId: `approval_${n}`,
  toolCallId: `call_${n}`,
  turnId: 't',
  agentId: 'ada',
  agentName: 'Ada',
  chatId: 'chat_1',
  toolName: 'stamp',
  arguments: {},
  message: 'Run stamp',
  options: ['deny', 'approve_once'],
  callHash: 'hash',
  status: 'pending',
  requestedAt: new Date(n * 1000).toISOString(),
  workingDirectory: '/',
  sandbox: { kind: 'none', network: 'all', hosts: [], readable: [] },
  why: 'no rule allows this call',
  reason: { code: 'no-rule' },
});
const denied = (id: number, n: number): WorldEvent => ({
  id,
  worldId: 'w',
  chatId: 'chat_1',
  event: 'message',
  data: {
    messageId: `msg_${id}`,
    chatId: 'chat_1',
    role: 'tool',
    sender: 'human',
    content: JSON.stringify({ decision: 'deny', scope: 'once', reason: 'no' }),
    createdAt: new Date(id * 1_000_000).toISOString(),
    tool_call_id: `approval_${n}`,
  },
});

/** The first page of a longer queue is loaded. */
const loaded = (next?: string): WorldState =>
  reduceWorld(emptyWorld('w'), {
    type: 'loaded',
    position: 1,
    world: worldSchema.parse({ id: 'w', name: 'W' }),
    agents: [],
    chats: [{ id: 'chat_1', title: '', status: 'waiting', createdAt: new Date(0).toISOString() }],
    approvals: { items: [approval(1), approval(2)], ...(next === undefined ? {} : { next }) },
  });
const withPage = (state: WorldState, after: string, ...numbers: number[]): WorldState =>
  reduceWorld(state, { type: 'later-approvals', after, approvals: { items: numbers.map(approval) } });

it('[CALL12.1] a partly loaded queue shows that there are more, and continues with the next page', () => {
  const first = loaded('after 2');
  expect(placeInQueue(first, 'approval_1')).toEqual({ position: 1, total: '2+' });
  const all = withPage(first, 'after 2', 3, 4);
  expect(all.queue).toEqual([1, 2, 3, 4].map((n) => `approval_${n}`));
  expect(all.chats[0]?.waiting).toBe(4);
  expect(waitingCount(all.queue.length, all)).toBe('4');
});

it('[CALL8] an approval decided while its page loads is not pending', () => {
  const decided = reduceWorld(loaded('after 2'), { type: 'event', event: denied(2, 3) });
  const all = withPage(decided, 'after 2', 3, 4);
  expect(all.queue).toEqual(['approval_1', 'approval_2', 'approval_4']);
  // No further page is expected, so decisions on unknown approvals are not kept.
  expect(reduceWorld(all, { type: 'event', event: denied(3, 99) }).decisions).toBe(all.decisions);
});

it('[STORE6] drops a page that was requested before a full reload', () => {
  expect(withPage(loaded('after 2'), 'after 7', 8).queue).toHaveLength(2);
  expect(withPage(loaded(), 'after 2', 3).queue).toHaveLength(2);
});
