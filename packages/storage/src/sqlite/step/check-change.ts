import type { RowChange, MessageRecord, TurnRecord } from '@countersign/core/ports';
import { CountersignError } from '@countersign/protocol';
import { signingText, toApprovalRow } from '../../verbs/approvals.js';
import { toMessageRow } from '../../verbs/messages.js';
import * as tables from '../../schema.js';
import { rowChecker } from './check-row.js';
import type { Entry } from '../log/entry.js';
import type { StateCache } from './chat-cache.js';

/** Lookups for the checks. */
interface Known {
  cache: StateCache;
  sent: (chatId: string, clientMessageId: string) => MessageRecord | undefined;
}

/**
 * Rejects changes that the tables would reject later, when the entry is folded, which would be too late. Generated ids of messages, turns,
 * calls and approvals are not looked up.
 */
export function entryChecker({ cache, sent }: Known): (entry: Entry) => void {
  const chats = rowChecker(tables.chats);
  const messages = rowChecker(tables.messages);
  const turns = rowChecker(tables.turns);
  const calls = rowChecker(tables.invocations);
  const approvals = rowChecker(tables.approvals);
  const grants = rowChecker(tables.grants);
  const events = rowChecker(tables.events);

  function check(row: RowChange): void {
    switch (row.kind) {
      case 'message-written':
        messages.whole(toMessageRow(row.message));
        assertNotSent(row.message, sent);
        return;
      case 'turn-queued':
        turns.whole(row.turn);
        assertOneCurrent(cache, row.turn.chatId, row.turn.id);
        return;
      case 'turn-changed':
        turns.change(row.change);
        if (row.change.state !== undefined) assertOneCurrent(cache, row.chatId, row.turnId);
        return;
      case 'call-proposed':
        calls.whole(row.call);
        return;
      case 'call-changed':
        calls.change(row.change);
        return;
      case 'approval-requested':
        approvals.whole(toApprovalRow(row.approval));
        return;
      case 'approval-signed':
        approvals.change({ signing: signingText(row.signing) });
        return;
      case 'approval-settled':
        approvals.change(row.change);
        return;
      case 'chat-changed':
        chats.change(row.change);
        return;
      case 'grant-used':
        grants.change({ lastUsedAt: row.at });
        return;
      case 'chat-created':
        chats.whole(row.chat);
        return;
      case 'grant-given':
        grants.whole({ ...row.grant, patternKey: row.key });
        return;
      // Folded immediately, so that the database checks it.
      case 'chat-deleted':
      case 'outcome-accepted':
      case 'policy-changed':
      case 'agent-added':
      case 'agent-removed':
      case 'world-deleted':
    }
  }
  return (entry) => {
    for (const row of entry.changes) check(row);
    for (const row of entry.events) events.whole(row);
  };
}

function assertNotSent({ chatId, clientMessageId }: MessageRecord, sent: Known['sent']): void {
  if (clientMessageId === null || sent(chatId, clientMessageId) === undefined) return;
  throw new CountersignError('conflict', 'A message with this id was already sent.');
}

/** An agent has at most one current turn per chat. */
function assertOneCurrent(cache: StateCache, chatId: string, turnId: string): void {
  const turns = cache.chat(chatId)?.state.turns;
  const turn = turns?.get(turnId);
  if (turns === undefined || turn === undefined || !isCurrent(turn)) return;
  for (const other of turns.values()) {
    if (other !== turn && other.agentId === turn.agentId && isCurrent(other)) {
      throw new CountersignError('conflict', 'An agent can have only one current turn in a chat.');
    }
  }
}

function isCurrent({ state }: TurnRecord): boolean {
  return state === 'open' || state === 'waiting';
}
