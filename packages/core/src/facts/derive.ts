import { DEFAULT_CHAT_TITLE } from '@countersign/protocol';
import type { NewAuditRecord } from '../ports/index.js';
import { approvalDecided, approvalRequested } from './approvals.js';
import { callSettled, callStarted } from './calls.js';
import { callIn, callWith, messageEvent, type Derived, type FactContext } from './context.js';
import type { ChatFact, RulesAdded } from './fact.js';
import { deriveTurn } from './turns.js';

/** Derives the row changes, messages, events and audit records of a fact. Pure; each transition is defined only here. */
export function derive(fact: ChatFact, context: FactContext): Derived {
  switch (fact.kind) {
    case 'chat-created':
      return { changes: [fact], events: [crud('create', fact.chat.id)] };
    case 'chat-titled': {
      const { chatId, title } = fact;
      const change = { title: title ?? DEFAULT_CHAT_TITLE, titled: true };
      const events = title === undefined ? [] : [crud('update', chatId), said(chatId, 'title', title)];
      return { changes: [{ kind: 'chat-changed', chatId, change }], events };
    }
    case 'chat-deleted': {
      const event = { ...crud('delete', fact.chatId), chatId: null };
      return { changes: [fact], events: [event] };
    }
    case 'activity-changed': {
      const { chatId, status } = fact;
      const data = { type: status, pendingOperations: context.working() };
      return {
        changes: [{ kind: 'chat-changed', chatId, change: { status } }],
        events: [{ event: 'world', chatId, data }],
      };
    }
    case 'message-sent':
      return { changes: [{ kind: 'message-written', message: fact.message }], events: [messageEvent(fact.message)] };
    case 'notice-written': {
      const { message, type } = fact;
      const { id: messageId, chatId, content } = message;
      const notice = { event: 'system', chatId, data: { type, message: content, messageId } } as const;
      return { changes: [{ kind: 'message-written', message }], events: [messageEvent(message), notice] };
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
    case 'approval-requested':
      return approvalRequested(fact, context);
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
    case 'call-settled':
      return callSettled(fact, context);
    case 'grant-given': {
      const { id, chatId } = fact.grant;
      return {
        changes: [fact],
        events: [{ event: 'crud', chatId, data: { operation: 'create', entity: 'grant', id } }],
      };
    }
    case 'rules-added':
      return rulesAdded(fact, context);
    case 'outcome-accepted':
      return { changes: [fact] };
  }
}

function rulesAdded(fact: RulesAdded, { state }: FactContext): Derived {
  const { worldId, chatId, callId, policy, added, by, client } = fact;
  const { agentId, toolName } = callIn(state, callId);
  const about = { chatId, invocationId: callId, agentId, tool: toolName, who: by, client };
  const records = added.map((rule): NewAuditRecord => ({
    kind: 'policy',
    rule,
    decision: 'added',
    why: 'approved always',
    ...about,
  }));
  return {
    changes: [{ kind: 'policy-changed', worldId, policy }],
    events: [{ event: 'crud', chatId: null, data: { operation: 'update', entity: 'policy', id: worldId } }],
    records,
  };
}

function crud(operation: 'create' | 'update' | 'delete', id: string) {
  return { event: 'crud' as const, chatId: id, data: { operation, entity: 'chat' as const, id } };
}

function said(chatId: string, type: 'title', message: string) {
  return { event: 'system' as const, chatId, data: { type, message } };
}
