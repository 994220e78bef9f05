import type { ApprovalRecord, ChatState, CallRecord, TurnRecord } from '@countersign/core/ports';
import type { Statement } from '../../queries/prepared.js';
import type { Statements } from '../../statements.js';
import { toApproval } from '../../verbs/approvals.js';
import { toChat } from '../../verbs/chats.js';
import { toInvocation } from '../../verbs/invocations.js';
import { toTurn } from '../../verbs/turns.js';
import type { SqliteConnection } from '../connection.js';

/** Agents with a turn in the chat, found by a skip scan of the index: otherwise, all turns in a long chat would be read. */
export const startedSince: Statement<{ chatId: string; seq: number }, [agentId: string, count: number]> = {
  sql: `with recursive agents (id) as (
    select min(agent_id) from turns where chat_id = ?
    union all
    select (select min(agent_id) from turns where chat_id = ? and agent_id > agents.id) from agents where id is not null
  )
  select agents.id, (
    select count(*) from turns
    where chat_id = ? and agent_id = agents.id and trigger_seq >= ? and begun_seq is not null
      and coalesce(outcome, '') <> 'silent'
  ) from agents where id is not null`,
  names: ['chatId', 'chatId', 'chatId', 'seq'],
};

/** Loads the state of a chat. Undefined if it doesn't exist. */
export function chatLoader(on: SqliteConnection, s: Statements): (id: string) => ChatState | undefined {
  const chat = on.first(s.chat, toChat);
  const turnsOf = on.all(s.unfinishedTurnsOfChat, toTurn);
  const callsOf = on.all(s.invocations, toInvocation);
  const approvalsOf = on.all(s.pendingOfChat, toApproval);
  const begunOf = on.all(startedSince, (row) => row);

  return (id) => {
    const record = chat({ id });
    if (record === undefined) return undefined;
    const turns = new Map<string, TurnRecord>();
    const calls = new Map<string, CallRecord>();
    for (const turn of turnsOf({ chatId: id })) {
      turns.set(turn.id, turn);
      for (const call of callsOf({ turnId: turn.id, iteration: turn.iteration })) calls.set(call.id, call);
    }
    const approvals = new Map<string, ApprovalRecord>();
    for (const approval of approvalsOf({ worldId: record.worldId, chatId: id })) approvals.set(approval.id, approval);
    const startedTurns = new Map<string, number>();
    for (const [agentId, count] of begunOf({ chatId: id, seq: record.humanSeq })) {
      if (count > 0) startedTurns.set(agentId, count);
    }
    return { chat: record, turns, calls, approvals, startedTurns };
  };
}
