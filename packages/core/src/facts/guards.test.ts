import { expect, it } from 'vitest';
import type { ApprovalRecord, ChatRecord, CallRecord } from '../ports/index.js';
import { emptyChat, derive } from './derive.js';
import type { FactContext, ChatFact } from './fact.js';

const about = { chatId: 'chat', callId: 'call' };
const gate = { kind: 'run', because: 'grant' } as const;
const FACTS = {
  'call-started': { kind: 'call-started', ...about, epoch: 1, gate },
  'call-requeued': { kind: 'call-requeued', ...about },
  'call-fetched': { kind: 'call-fetched', ...about },
  'call-settled': {
    kind: 'call-settled',
    ...about,
    toolName: 'remove',
    settlement: { kind: 'succeeded', result: 1 },
    content: '{}',
  },
  'approval-decided': {
    kind: 'approval-decided',
    ...about,
    approvalId: 'approval',
    how: 'approve',
    by: { kind: 'person', id: 'ann', name: 'ann' },
    approved: { callHash: 'hash' },
  },
} satisfies Record<string, ChatFact>;

/** Whether a fact may follow a call's state: the last guard against running or settling a call twice. */
function follows(name: keyof typeof FACTS, call: Pick<CallRecord, 'status'> & Partial<CallRecord>): boolean {
  const state = emptyChat({ id: 'chat', worldId: 'w', lastSeq: 0, humanSeq: 0 } as ChatRecord);
  state.calls.set('call', {
    id: 'call',
    chatId: 'chat',
    arguments: '{}',
    approvalId: 'approval',
    ...call,
  } as CallRecord);
  state.approvals.set('approval', { id: 'approval', question: null, signing: null } as ApprovalRecord);
  const context = {
    now: 1,
    state,
    agentName: String,
    clientLabel: String,
    message: (words: unknown) => words,
  } as unknown as FactContext;
  try {
    derive(FACTS[name], context);
    return true;
  } catch {
    return false;
  }
}

it.each([
  ['call-started', ['approved']],
  ['call-requeued', ['started']],
  ['call-fetched', ['started']],
  ['call-settled', ['asked', 'approved', 'started']],
  ['approval-decided', ['asked']],
] as const)('[CALL8] %s is only valid for a call that is %j', (name, expected) => {
  const all = ['asked', 'approved', 'started', 'succeeded', 'failed', 'denied'] as const;
  expect(all.filter((status) => follows(name, { status }))).toEqual(expected);
});

it('[CALL7] an approval releases only the call that waits for it', () => {
  expect(follows('approval-decided', { status: 'asked', approvalId: 'another' })).toBe(false);
});
