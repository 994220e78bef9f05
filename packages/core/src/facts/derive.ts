import type { Usage } from '@countersign/protocol';
import type {
  NewAuditRecord,
  Emission,
  MessageRecord,
  RowChange,
  TurnChange,
  TurnRecord,
  ChatRecord,
  ChatState,
} from '../ports/index.js';
import { approvalDecided, approvalRequested, approvalSigned } from './approvals.js';
import {
  callEdited,
  callRehearsed,
  callSettled,
  callStarted,
  callUndo,
  callIn,
  callWith,
  messageEvent,
} from './calls.js';
import { sessionChanged } from './program-session.js';
import { titleFrom } from './title-from.js';
import type { ChatFact, Derived, FactContext, RulesAdded, TurnFact } from './fact.js';
import { crud } from './world-fact.js';

/** Derives the row changes, messages, events and audit records of a fact. Pure; each transition is defined only here. */
export function derive(fact: ChatFact, context: FactContext): Derived {
  switch (fact.kind) {
    case 'chat-created':
      return { changes: [fact], events: [chatEvent('create', fact.chat.id)] };
    case 'chat-titled': {
      const { chatId, title } = fact;
      const change = { title: title ?? context.state.chat.title, titled: true };
      const events = title === undefined ? [] : [chatEvent('update', chatId), said(chatId, 'title', title)];
      return { changes: [{ kind: 'chat-changed', chatId, change }], events };
    }
    case 'chat-filed': {
      const { chatId, filed } = fact;
      return { changes: [{ kind: 'chat-changed', chatId, change: { filed } }], events: [chatEvent('update', chatId)] };
    }
    case 'chat-deleted': {
      return { changes: [fact], events: [crud('delete', 'chat', fact.chatId)] };
    }
    case 'chat-branched': {
      const { chatId, branches } = fact;
      return { changes: [{ kind: 'chat-changed', chatId, change: { branches } }] };
    }
    case 'activity-changed': {
      const { chatId, status } = fact;
      const data = { type: status, pendingOperations: context.working() };
      return {
        changes: [{ kind: 'chat-changed', chatId, change: { status } }],
        events: [{ event: 'world', chatId, data }],
      };
    }
    case 'message-sent': {
      const { message } = fact;
      const { chatId } = message;
      const written = { kind: 'message-written', message } as const;
      const title = firstTitle(context.state.chat, message);
      if (title === undefined) return { changes: [written], events: [messageEvent(message)] };
      return {
        changes: [written, { kind: 'chat-changed', chatId, change: { title } }],
        events: [messageEvent(message), said(chatId, 'title', title)],
      };
    }
    case 'notice-written': {
      const { message, type } = fact;
      const { id: messageId, chatId, content } = message;
      const notice = { event: 'system', chatId, data: { type, message: content, messageId } } as const;
      return { changes: [{ kind: 'message-written', message }], events: [messageEvent(message), notice] };
    }
    case 'notice-shown':
      return { changes: [], events: [said(fact.chatId, 'notice', fact.message)] };
    case 'session-told':
    case 'sentence-taken':
      return sessionChanged(fact, context);
    case 'chat-stopped': {
      const { chatId, by, isSaid } = fact;
      const notice = { type: 'notice', message: `Stopped by ${by.who.name}.`, stoppedBy: by.who } as const;
      return {
        changes: [],
        events: isSaid ? [] : [{ event: 'system', chatId, data: notice }],
        records: [{ kind: 'stop', chatId, ...by }],
      };
    }
    case 'turn-queued':
    case 'turn-opened':
    case 'model-answered':
    case 'turn-paused':
    case 'turn-resumed':
    case 'turn-claimed':
    case 'turn-released':
    case 'turn-ended':
      return deriveTurn(fact, context);
    case 'call-proposed':
      return { changes: [fact] };
    case 'call-rehearsed':
      return callRehearsed(fact, context);
    case 'call-edited':
      return callEdited(fact, context);
    case 'approval-requested':
      return approvalRequested(fact, context);
    case 'approval-signed':
      return approvalSigned(fact, context);
    case 'approval-decided':
      return approvalDecided(fact, context);
    case 'call-started':
      return callStarted(fact, context);
    case 'call-requeued': {
      const { chatId } = fact;
      const { id: callId } = callWith(context.state, fact.callId, 'started');
      const change = { status: 'approved', startedEpoch: null } as const;
      return { changes: [{ kind: 'call-changed', chatId, callId, change }] };
    }
    case 'call-fetched': {
      const { chatId } = fact;
      const { id: callId } = callWith(context.state, fact.callId, 'started');
      const change = { status: 'started', startedEpoch: null } as const;
      return { changes: [{ kind: 'call-changed', chatId, callId, change }] };
    }
    case 'call-settled':
      return callSettled(fact, context);
    case 'call-undo':
      return callUndo(fact, context);
    case 'grant-given': {
      const { id, chatId } = fact.grant;
      return {
        changes: [fact],
        events: [crud('create', 'grant', id, chatId)],
      };
    }
    case 'rules-added':
      return rulesAdded(fact, context);
    case 'outcome-accepted':
      return { changes: [fact] };
  }
}

/** A chat is called after its first message at once, so that a waiting one can be told from the others (WORLD7). */
function firstTitle({ titled, humanSeq }: ChatRecord, { content }: MessageRecord): string | undefined {
  return titled || humanSeq > 0 ? undefined : titleFrom(content);
}

function rulesAdded(fact: RulesAdded, { state }: FactContext): Derived {
  const { worldId, chatId, callId, policy, added, by } = fact;
  const { agentId, toolName } = callIn(state, callId);
  const about = { chatId, invocationId: callId, agentId, tool: toolName, ...by };
  const records = added.map((rule): NewAuditRecord => ({
    kind: 'policy',
    rule,
    decision: 'added',
    why: 'approved always',
    ...about,
  }));
  return {
    changes: [{ kind: 'policy-changed', worldId, policy }],
    events: [crud('update', 'policy', worldId)],
    records,
  };
}

function chatEvent(operation: 'create' | 'update', id: string): Emission {
  return crud(operation, 'chat', id, id);
}

function said(chatId: string, type: 'title' | 'notice', message: string) {
  return { event: 'system' as const, chatId, data: { type, message } };
}

/** Derives the effects of a fact about a turn. */
function deriveTurn(fact: TurnFact, context: FactContext): Derived {
  if (fact.kind === 'turn-queued') return { changes: [fact] };
  const turn = context.state.turns.get(fact.turnId);
  if (turn === undefined) throw new Error(`The turn "${fact.turnId}" has ended.`);
  const changed = (change: TurnChange & { epoch?: number }): RowChange => ({
    kind: 'turn-changed',
    chatId: turn.chatId,
    turnId: turn.id,
    change,
  });
  switch (fact.kind) {
    case 'turn-opened':
      return { changes: [changed({ state: 'open', begunSeq: fact.begunSeq, owner: fact.owner })] };
    case 'model-answered': {
      const { usage, message } = fact;
      const answered = changed({
        iteration: turn.iteration + 1,
        inputTokens: turn.inputTokens + usage.inputTokens,
        outputTokens: turn.outputTokens + usage.outputTokens,
        ...costOf(turn, usage),
      });
      if (message === undefined) return { changes: [answered] };
      return { changes: [answered, { kind: 'message-written', message }], events: [messageEvent(message)] };
    }
    case 'turn-paused':
      return { changes: [changed({ state: 'waiting' })] };
    case 'turn-resumed': {
      // The turn reached a person, so earlier interruptions don't make it a suspect.
      const interruptions = turn.state === 'waiting' ? 0 : turn.interruptions;
      const fence = fact.fenced ? { epoch: turn.epoch + 1 } : {};
      return { changes: [changed({ state: 'open', owner: fact.owner, interruptions, ...fence })] };
    }
    case 'turn-claimed': {
      const { owner, interruptions } = fact;
      return { changes: [changed({ owner, interruptions, epoch: turn.epoch + 1 })] };
    }
    case 'turn-released':
      return { changes: [changed({ owner: null, interruptions: fact.interruptions })] };
    case 'turn-ended':
      return {
        changes: [changed(ended(fact, turn, context))],
        events: [...endEvents(fact, turn, context), ...reviewEnded(turn, context)],
      };
  }
}

type Ended = Extract<TurnFact, { kind: 'turn-ended' }>;

function ended({ outcome, begunSeq }: Ended, turn: TurnRecord, { now }: FactContext): TurnChange & { epoch?: number } {
  return {
    state: 'ended',
    outcome,
    owner: null,
    endedAt: now,
    ...(begunSeq === undefined ? {} : { begunSeq }),
    // Fences the process that runs the turn: it can no longer write.
    ...(outcome === 'stopped' ? { epoch: turn.epoch + 1 } : {}),
  };
}

/** Publishes the end of a turn that leaves no message: otherwise it would look unfinished (CALL9). */
function endEvents({ outcome }: Ended, turn: TurnRecord, { working }: FactContext): readonly Emission[] {
  if (outcome === 'answered' || outcome === 'handed-over') return [];
  const pendingOperations = working() - (turn.state === 'open' || turn.state === 'queued' ? 1 : 0);
  const data = { type: 'turn-ended', pendingOperations, turnId: turn.id, outcome } as const;
  return [{ event: 'world', chatId: turn.chatId, data }];
}

/** If the agent didn't decide, the card says so from now on. */
function reviewEnded({ chatId, review }: TurnRecord, { state }: FactContext): readonly Emission[] {
  if (review === null || !state.approvals.has(review)) return [];
  return [crud('update', 'approval', review, chatId)];
}

export function emptyChat(chat: ChatRecord): ChatState {
  return { chat, turns: new Map(), calls: new Map(), approvals: new Map(), startedTurns: new Map() };
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
      if (isPerson) state.startedTurns.clear();
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
    case 'approval-signed': {
      const before = state.approvals.get(row.approvalId);
      if (before !== undefined) state.approvals.set(row.approvalId, { ...before, signing: row.signing });
      return;
    }
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
  // Calls that the turn leaves open are settled in the same step.
  for (const { id, turnId, settledAt } of state.calls.values()) {
    if (turnId === after.id && settledAt !== null) state.calls.delete(id);
  }
}

function countStarted(state: ChatState, before: TurnRecord | undefined, after: TurnRecord): void {
  const hasStarted = (before?.begunSeq ?? null) === null && after.begunSeq !== null && after.outcome !== 'silent';
  if (!hasStarted || after.triggerSeq < state.chat.humanSeq) return;
  state.startedTurns.set(after.agentId, (state.startedTurns.get(after.agentId) ?? 0) + 1);
}

/** The chat that a fact is about. */
export function chatOf(fact: ChatFact): string {
  if ('chatId' in fact) return fact.chatId;
  if ('chat' in fact) return fact.chat.id;
  if ('message' in fact) return fact.message.chatId;
  if ('turn' in fact) return fact.turn.chatId;
  return 'call' in fact ? fact.call.chatId : fact.grant.chatId;
}

/** A turn has a cost only if all of its tokens had a price: otherwise, some would count as free (MODEL3.1). */
function costOf(turn: TurnRecord, usage: Usage): Pick<TurnRecord, 'microdollars'> | undefined {
  const hasTokens = ({ inputTokens, outputTokens }: Pick<Usage, 'inputTokens' | 'outputTokens'>): boolean =>
    inputTokens + outputTokens > 0;
  if (usage.microdollars === undefined)
    return turn.microdollars === null || !hasTokens(usage) ? undefined : { microdollars: null };
  if (turn.microdollars === null && hasTokens(turn)) return undefined;
  return { microdollars: (turn.microdollars ?? 0) + usage.microdollars };
}
