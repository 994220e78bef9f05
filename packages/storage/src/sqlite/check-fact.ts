import type { Fact, MessageRecord, TurnRecord } from '@countersign/core/ports';
import { CountersignError } from '@countersign/protocol';
import type { Statements } from '../statements.js';
import { assertValue } from '../text.js';
import { toApprovalRow } from '../verbs/approvals.js';
import { toMessageRow } from '../verbs/messages.js';
import type { KeptStates } from './kept-states.js';

/** What is looked up for a check. */
interface Known {
  kept: KeptStates;
  sent: (chatId: string, clientMessageId: string) => MessageRecord | undefined;
}

/**
 * Refuses what the tables would refuse when the fact is folded into them: then it would be too late. Ids that are made for each message, turn,
 * call and approval are not looked up.
 */
export function factChecker(s: Statements, { kept, sent }: Known): (fact: Fact) => void {
  return (fact) => {
    switch (fact.kind) {
      case 'message-written':
        assertRow(toMessageRow(fact.message), s.insertMessage.names);
        assertNotSent(fact.message, sent);
        return;
      case 'turn-queued':
        assertRow(fact.turn, s.insertTurn.names);
        assertOneCurrent(kept, fact.turn.chatId, fact.turn.id);
        return;
      case 'turn-changed':
        assertChange(fact.change);
        if (fact.change.state !== undefined) assertOneCurrent(kept, fact.chatId, fact.turnId);
        return;
      case 'call-proposed':
        assertRow(fact.call, s.insertInvocation.names);
        return;
      case 'call-changed':
        assertChange(fact.change);
        return;
      case 'approval-requested':
        assertRow(toApprovalRow(fact.approval), s.insertApproval.names);
        return;
      case 'approval-settled':
        assertChange(fact.change);
        return;
      case 'chat-changed':
        assertChange(fact.change);
        return;
      case 'grant-used':
        assertValue(fact.at, 'at');
        return;
      // Written at once.
      case 'chat-created':
      case 'chat-deleted':
      case 'outcome-accepted':
      case 'grant-given':
      case 'policy-changed':
      case 'agent-added':
      case 'agent-removed':
      case 'world-deleted':
    }
  };
}

function assertRow(row: object, names: readonly string[]): void {
  for (const name of names) assertValue((row as Readonly<Record<string, unknown>>)[name], name);
}

function assertChange(change: object): void {
  for (const [name, value] of Object.entries(change)) if (value !== undefined) assertValue(value, name);
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
