import { expect, it } from 'vitest';
import type { ChatRecord, ChatState, CallRecord, MessageRecord, TurnRecord } from '../ports/index.js';
import { applyChange, emptyChat } from './derive.js';

function chat(): ChatState {
  return emptyChat({ id: 'c', worldId: 'w', lastSeq: 0, humanSeq: 0 } as ChatRecord);
}
function turn(id: string, more: Partial<TurnRecord> = {}): TurnRecord {
  const started = { state: 'open', outcome: null, begunSeq: 1, triggerSeq: 1, iteration: 1 } as const;
  return { id, chatId: 'c', agentId: 'ada', ...started, ...more } as TurnRecord;
}
function call(id: string, turnId: string): CallRecord {
  return { id, chatId: 'c', turnId, iteration: 1, status: 'approved', settledAt: null } as CallRecord;
}

it('[WORLD6] counts the turns that started since a person’s last message, except silent ones', () => {
  const state = chat();
  applyChange(state, { kind: 'message-written', message: { seq: 1, speaker: 'human' } as MessageRecord });
  applyChange(state, { kind: 'turn-queued', turn: turn('a') });
  applyChange(state, { kind: 'turn-queued', turn: turn('b', { state: 'queued', begunSeq: null }) });
  applyChange(state, { kind: 'turn-queued', turn: turn('c', { state: 'ended', outcome: 'silent' }) });
  expect(state.startedTurns).toEqual(new Map([['ada', 1]]));
  applyChange(state, { kind: 'turn-changed', chatId: 'c', turnId: 'b', change: { state: 'open', begunSeq: 2 } });
  applyChange(state, { kind: 'turn-changed', chatId: 'c', turnId: 'b', change: { iteration: 2 } });
  expect(state.startedTurns).toEqual(new Map([['ada', 2]]));
  applyChange(state, { kind: 'message-written', message: { seq: 2, speaker: 'agent' } as MessageRecord });
  expect(state.chat).toMatchObject({ lastSeq: 2, humanSeq: 1 });
  applyChange(state, { kind: 'message-written', message: { seq: 3, speaker: 'human' } as MessageRecord });
  expect(state.startedTurns).toEqual(new Map());
  // This turn answers an earlier message: turns for messages that a person sent in a row don't count towards the limit.
  applyChange(state, { kind: 'turn-queued', turn: turn('d', { triggerSeq: 1 }) });
  expect(state.startedTurns).toEqual(new Map());
});

it('[LIMIT1] drops a turn when it ends, and its calls once they are settled', () => {
  const state = chat();
  applyChange(state, { kind: 'turn-queued', turn: turn('a') });
  applyChange(state, { kind: 'call-proposed', call: call('one', 'a') });
  applyChange(state, { kind: 'call-proposed', call: call('two', 'a') });
  applyChange(state, { kind: 'call-changed', chatId: 'c', callId: 'one', change: { status: 'failed', settledAt: 1 } });
  expect([...state.calls.keys()]).toEqual(['one', 'two']);
  applyChange(state, { kind: 'turn-changed', chatId: 'c', turnId: 'a', change: { state: 'ended' } });
  expect([...state.turns.keys(), ...state.calls.keys()]).toEqual(['two']);
  applyChange(state, { kind: 'call-changed', chatId: 'c', callId: 'two', change: { status: 'failed', settledAt: 1 } });
  expect([...state.calls.keys()]).toEqual([]);
});
