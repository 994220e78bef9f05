import type { Fact, MessageRecord, TurnRecord } from '@countersign/core/ports';
import { CountersignError } from '@countersign/protocol';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Statements } from '../statements.js';
import { toApprovalRow } from '../verbs/approvals.js';
import { toMessageRow } from '../verbs/messages.js';
import { rowChecker } from './check-row.js';
import type { Entry } from './entry.js';
import type { KeptStates } from './kept-states.js';

/** What is looked up for a check. */
interface Known {
  kept: KeptStates;
  sent: (chatId: string, clientMessageId: string) => MessageRecord | undefined;
}

/**
 * Refuses what the tables would refuse when the entry is folded into them: then it would be too late. Ids that are made for each message, turn,
 * call and approval are not looked up.
 */
export function entryChecker(db: DatabaseSyncInstance, s: Statements, { kept, sent }: Known): (entry: Entry) => void {
  const chats = rowChecker(db, 'chats', s.insertChat.names);
  const messages = rowChecker(db, 'messages', s.insertMessage.names);
  const turns = rowChecker(db, 'turns', s.insertTurn.names);
  const calls = rowChecker(db, 'invocations', s.insertInvocation.names);
  const approvals = rowChecker(db, 'approvals', s.insertApproval.names);
  const grants = rowChecker(db, 'grants', s.insertGrant.names);
  const events = rowChecker(db, 'events', s.insertEvent.names);

  function check(fact: Fact): void {
    switch (fact.kind) {
      case 'message-written':
        messages.whole(toMessageRow(fact.message));
        assertNotSent(fact.message, sent);
        return;
      case 'turn-queued':
        turns.whole(fact.turn);
        assertOneCurrent(kept, fact.turn.chatId, fact.turn.id);
        return;
      case 'turn-changed':
        turns.change(fact.change);
        if (fact.change.state !== undefined) assertOneCurrent(kept, fact.chatId, fact.turnId);
        return;
      case 'call-proposed':
        calls.whole(fact.call);
        return;
      case 'call-changed':
        calls.change(fact.change);
        return;
      case 'approval-requested':
        approvals.whole(toApprovalRow(fact.approval));
        return;
      case 'approval-settled':
        approvals.change(fact.change);
        return;
      case 'chat-changed':
        chats.change(fact.change);
        return;
      case 'grant-used':
        grants.change({ lastUsedAt: fact.at });
        return;
      case 'chat-created':
        chats.whole(fact.chat);
        return;
      case 'grant-given':
        grants.whole({ ...fact.grant, patternKey: fact.key });
        return;
      // Written at once.
      case 'chat-deleted':
      case 'outcome-accepted':
      case 'policy-changed':
      case 'agent-added':
      case 'agent-removed':
      case 'world-deleted':
    }
  }
  return (entry) => {
    for (const fact of entry.facts) check(fact);
    for (const row of entry.events) events.whole(row);
  };
}

function assertNotSent({ chatId, clientMessageId }: MessageRecord, sent: Known['sent']): void {
  if (clientMessageId === null || sent(chatId, clientMessageId) === undefined) return;
  throw new CountersignError('conflict', 'A message was sent under this id before.');
}

/** An agent has at most one turn under way in a chat. */
function assertOneCurrent(kept: KeptStates, chatId: string, turnId: string): void {
  const turns = kept.chat(chatId)?.state.turns;
  const turn = turns?.get(turnId);
  if (turns === undefined || turn === undefined || !isCurrent(turn)) return;
  for (const other of turns.values()) {
    if (other !== turn && other.agentId === turn.agentId && isCurrent(other)) {
      throw new CountersignError('conflict', 'An agent has one turn under way in a chat at most.');
    }
  }
}

function isCurrent({ state }: TurnRecord): boolean {
  return state === 'open' || state === 'waiting';
}
