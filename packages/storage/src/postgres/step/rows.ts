import type { RowChange } from '@countersign/core/ports';
import { camel } from '../../camel.js';
import type { Value } from '../../queries/prepared.js';
import { toStored, toValue } from '../../text.js';
import { signingText, toApprovalRow } from '../../verbs/approvals.js';
import { toMessageRow } from '../../verbs/messages.js';
import { WRITTEN, type Table } from '../append-function.js';

export type Cells = Record<string, Value>;

/** A new row, or the changed columns of an existing one. */
export interface RowWrite {
  table: Table;
  id: string;
  isNew: boolean;
  cells: Cells;
}

/** The rows that a change writes. Always includes its chat, whose version increases. Empty if the change affects more than single rows. */
export function rowsOf(fact: RowChange): RowWrite[] {
  switch (fact.kind) {
    case 'chat-created':
      return [created('chats', fact.chat.id, fact.chat)];
    case 'chat-changed':
      return [changed('chats', fact.chatId, fact.change)];
    case 'message-written': {
      const { id, chatId, seq, speaker } = fact.message;
      const isPerson = speaker === 'human' || speaker === 'world';
      const place = isPerson ? { lastSeq: seq, humanSeq: seq } : { lastSeq: seq };
      return [created('messages', id, toMessageRow(fact.message)), changed('chats', chatId, place)];
    }
    case 'turn-queued':
      return [created('turns', fact.turn.id, fact.turn), touched(fact.turn)];
    case 'turn-changed':
      return [changed('turns', fact.turnId, fact.change), touched(fact)];
    case 'call-proposed':
      return [created('invocations', fact.call.id, fact.call), touched(fact.call)];
    case 'call-changed':
      return [changed('invocations', fact.callId, fact.change), touched(fact)];
    case 'approval-requested':
      return [created('approvals', fact.approval.id, toApprovalRow(fact.approval)), touched(fact.approval)];
    case 'approval-signed':
      return [changed('approvals', fact.approvalId, { signing: signingText(fact.signing) }), touched(fact)];
    case 'approval-settled':
      return [changed('approvals', fact.approvalId, fact.change), touched(fact)];
    case 'grant-given':
      return [created('grants', fact.grant.id, { ...fact.grant, patternKey: fact.key }), touched(fact.grant)];
    case 'grant-used':
      return [changed('grants', fact.grantId, { lastUsedAt: fact.at }), touched(fact)];
    case 'outcome-accepted':
      return [touched(fact)];
    case 'chat-deleted':
    case 'policy-changed':
    case 'agent-added':
    case 'agent-removed':
    case 'world-deleted':
      return [];
  }
}

function created(table: Table, id: string, record: object): RowWrite {
  const cells: Cells = {};
  for (const { column, key } of FIELDS[table]) cells[column] = toCell((record as Record<string, unknown>)[key], key);
  return { table, id, isNew: true, cells };
}

function touched({ chatId }: { chatId: string }): RowWrite {
  return changed('chats', chatId, {});
}

function changed(table: Table, id: string, change: object): RowWrite {
  const cells: Cells = { id: toStored(id) };
  for (const { column, key } of FIELDS[table]) {
    const value = (change as Record<string, unknown>)[key];
    if (value !== undefined && column !== 'id') cells[column] = toCell(value, key);
  }
  return { table, id, isNew: false, cells };
}

/** Converts a value to JSON. Rows are sent as JSON, where infinity would become null. */
function toCell(value: unknown, key: string): Value {
  if (typeof value === 'boolean') return Number(value);
  return toValue(typeof value === 'number' && !Number.isFinite(value) ? undefined : value, key);
}

/** Columns keyed by their property names in records. */
const FIELDS = Object.fromEntries(
  Object.entries(WRITTEN).map(([table, { names }]) => [table, names.map((column) => ({ column, key: camel(column) }))]),
) as unknown as Record<Table, readonly { column: string; key: string }[]>;
