import type { ChatRecord, ChatState, RowChange, TurnRecord } from '../ports/index.js';

export function emptyChat(chat: ChatRecord): ChatState {
  return { chat, turns: new Map(), calls: new Map(), approvals: new Map(), begun: new Map() };
}

/**
 * The only function that changes the state of a chat. Ignores changes that create or remove a chat, and changes to data that is
 * read from the store (grants, agents, rules).
 */
export function applyChange(state: ChatState, row: RowChange): void {
  switch (row.kind) {
    case 'chat-changed':
      state.chat = { ...state.chat, ...row.change };
      return;
    case 'message-written': {
      const { seq, speaker } = row.message;
      const isPerson = speaker === 'human' || speaker === 'world';
      state.chat = { ...state.chat, lastSeq: seq, humanSeq: isPerson ? seq : state.chat.humanSeq };
      if (isPerson) state.begun.clear();
      return;
    }
    case 'turn-queued':
      if (row.turn.state !== 'ended') state.turns.set(row.turn.id, row.turn);
      countStarted(state, undefined, row.turn);
      return;
    case 'turn-changed': {
      const before = state.turns.get(row.turnId);
      if (before === undefined) return;
      changeTurn(state, before, { ...before, ...row.change });
      return;
    }
    case 'call-proposed':
      state.calls.set(row.call.id, row.call);
      return;
    case 'call-changed': {
      const before = state.calls.get(row.callId);
      if (before === undefined) return;
      const after = { ...before, ...row.change };
      if (after.settledAt !== null && !state.turns.has(after.turnId)) state.calls.delete(after.id);
      else state.calls.set(after.id, after);
      return;
    }
    case 'approval-requested':
      state.approvals.set(row.approval.id, row.approval);
      return;
    case 'approval-settled':
      state.approvals.delete(row.approvalId);
      return;
    case 'outcome-accepted':
      for (const call of state.calls.values()) {
        if (call.toolName !== row.toolName || call.arguments !== row.arguments || !call.outcomeUnknown) continue;
        state.calls.set(call.id, { ...call, outcomeUnknown: false });
      }
      return;
    case 'chat-created':
    case 'chat-deleted':
    case 'grant-given':
    case 'grant-used':
    case 'policy-changed':
    case 'agent-added':
    case 'agent-removed':
    case 'world-deleted':
  }
}

function changeTurn(state: ChatState, before: TurnRecord, after: TurnRecord): void {
  countStarted(state, before, after);
  const hasEnded = after.state === 'ended';
  if (hasEnded) state.turns.delete(after.id);
  else state.turns.set(after.id, after);
  if (!hasEnded && after.iteration === before.iteration) return;
  // Calls that a turn leaves open are settled in the same step.
  for (const { id, turnId, settledAt } of state.calls.values()) {
    if (turnId === after.id && settledAt !== null) state.calls.delete(id);
  }
}

function countStarted(state: ChatState, before: TurnRecord | undefined, after: TurnRecord): void {
  const hasStarted = (before?.begunSeq ?? null) === null && after.begunSeq !== null && after.outcome !== 'silent';
  if (!hasStarted || after.triggerSeq < state.chat.humanSeq) return;
  state.begun.set(after.agentId, (state.begun.get(after.agentId) ?? 0) + 1);
}
