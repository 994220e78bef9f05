import type { ApprovalRecord, ChatRecord, RowChange, CallRecord, TurnRecord } from '@countersign/core/ports';
import type { Statement } from '../../queries/prepared.js';
import {
  approvals as approvalTable,
  chats as chatTable,
  invocations as callTable,
  turns as turnTable,
} from '../../schema.js';
import type { Statements } from '../../statements.js';
import { signingText, toApprovalRow } from '../../verbs/approvals.js';
import { toMessageRow } from '../../verbs/messages.js';
import { makersText } from '../../verbs/worlds.js';
import { purgeOrder } from '../../purge-order.js';
import type { Batch } from './batch.js';

/** A step's changes to one row: an insert, an update, or both. */
interface Draft<R> {
  made: R | undefined;
  change: Partial<R> | undefined;
}

export interface ChangeWriter {
  /** Discards the leftovers of a failed fold. */
  clear(): void;
  add(changes: readonly RowChange[], now: number): void;
  /** Called last: writes rows that were held back because they might change again. */
  flush(): void;
}

/** Adds changes to the batch. Each turn, call and chat is written once, no matter how often it changed. */
export function changeWriter(batch: Batch, s: Statements): ChangeWriter {
  const addChat = batch.add<ChatRecord>(forRecords(s.insertChat));
  const changeChat = batch.addChange(chatTable);
  const addMessages = batch.addRows(s.insertMessage);
  const addTurn = batch.add<TurnRecord>(s.insertTurn);
  const changeTurn = batch.addChange(turnTable);
  const addCalls = batch.addRows<CallRecord>(forRecords(s.insertInvocation));
  const changeCall = batch.addChange(callTable);
  const acceptOutcome = batch.add(s.clearOutcomeUnknown);
  const addApprovals = batch.addRows(s.insertApproval);
  const changeApproval = batch.addChange(approvalTable);
  const addGrant = batch.add(s.insertGrant);
  const touchGrant = batch.add(s.touchGrant);
  const addAgent = batch.add(s.insertAgent);
  const clearAgent = batch.add(s.clearAgent);
  const updatePolicy = batch.add(s.updatePolicy);
  const updateWorld = batch.add(s.updateWorld);
  const order = purgeOrder(s.purge);
  const deleteChat = order.chat.map((statement) => batch.add(statement));
  const deleteWorld = order.world.map((statement) => batch.add(statement));
  const emptyWorld = [s.deleteAgentsOfWorld, s.deletePolicy].map((statement) => batch.add(statement));
  const buryWorld = batch.add(s.buryWorld);

  const chats = new Map<string, Draft<ChatRecord>>();
  const turns = new Map<string, Draft<TurnRecord>>();
  const calls = new Map<string, Draft<CallRecord>>();
  const approvals = new Map<string, Draft<ApprovalRecord>>();
  let messages: ReturnType<typeof toMessageRow>[] = [];

  function raiseRev(worldId: string): void {
    updateWorld({ id: worldId, name: null, settings: null });
  }
  function flushCalls(): void {
    const made: CallRecord[] = [];
    for (const [id, draft] of calls) write(id, draft, (call) => made.push(call), changeCall);
    calls.clear();
    addCalls(made);
  }
  function flush(): void {
    addMessages(messages);
    messages = [];
    for (const [id, draft] of chats) write(id, draft, addChat, changeChat);
    chats.clear();
    // Write ended turns first: an agent has at most one open turn per chat, even in the middle of a batch.
    for (const [id, draft] of turns) if (!isCurrent(draft)) write(id, draft, addTurn, changeTurn);
    for (const [id, draft] of turns) if (isCurrent(draft)) write(id, draft, addTurn, changeTurn);
    turns.clear();
    flushCalls();
    const asked: ReturnType<typeof toApprovalRow>[] = [];
    const updateApproval = (id: string, { signing, ...verdict }: Partial<ApprovalRecord>): void =>
      changeApproval(id, signing === undefined ? verdict : { ...verdict, signing: signingText(signing) });
    for (const [id, draft] of approvals) write(id, draft, (made) => asked.push(toApprovalRow(made)), updateApproval);
    approvals.clear();
    addApprovals(asked);
  }

  function add(row: RowChange, now: number): void {
    switch (row.kind) {
      case 'chat-created':
        make(chats, row.chat);
        return;
      case 'chat-changed':
        change(chats, row.chatId, row.change);
        return;
      case 'chat-deleted':
        flush();
        for (const remove of deleteChat) remove({ id: row.chatId });
        return;
      case 'message-written': {
        const { seq, speaker, chatId } = row.message;
        messages.push(toMessageRow(row.message));
        const isPerson = speaker === 'human' || speaker === 'world';
        change(chats, chatId, isPerson ? { lastSeq: seq, humanSeq: seq } : { lastSeq: seq });
        return;
      }
      case 'turn-queued':
        make(turns, row.turn);
        return;
      case 'turn-changed':
        change(turns, row.turnId, row.change);
        return;
      case 'call-proposed':
        make(calls, row.call);
        return;
      case 'call-changed':
        change(calls, row.callId, row.change);
        return;
      case 'outcome-accepted':
        flushCalls();
        acceptOutcome(row);
        return;
      case 'approval-requested':
        make(approvals, row.approval);
        return;
      case 'approval-signed':
        change(approvals, row.approvalId, { signing: row.signing });
        return;
      case 'approval-settled':
        change(approvals, row.approvalId, row.change);
        return;
      case 'grant-given':
        addGrant({ ...row.grant, patternKey: row.key });
        return;
      case 'grant-used':
        touchGrant({ id: row.grantId, now: row.at });
        return;
      case 'policy-changed':
        raiseRev(row.worldId);
        updatePolicy({ worldId: row.worldId, policy: JSON.stringify(row.policy), proposed: null });
        return;
      case 'agent-added': {
        const { worldId, id, definition, createdAt } = row.agent;
        addAgent({
          worldId,
          id,
          definition: JSON.stringify(definition),
          makers: makersText(row.agent),
          now: createdAt,
        });
        raiseRev(worldId);
        return;
      }
      case 'agent-removed':
        clearAgent({ worldId: row.worldId, id: row.agentId, now });
        raiseRev(row.worldId);
        return;
      case 'world-deleted':
        flush();
        for (const remove of deleteWorld) remove({ id: row.worldId });
        for (const remove of emptyWorld) remove({ worldId: row.worldId });
        buryWorld({ id: row.worldId, now });
    }
  }

  return {
    clear() {
      messages = [];
      chats.clear();
      turns.clear();
      calls.clear();
      approvals.clear();
    },
    add(changes, now) {
      for (const row of changes) add(row, now);
    },
    flush,
  };
}

function make<R extends { id: string }>(drafts: Map<string, Draft<R>>, record: R): void {
  drafts.set(record.id, { made: record, change: undefined });
}

function change<R>(drafts: Map<string, Draft<R>>, id: string, more: Partial<R>): void {
  const draft = drafts.get(id);
  if (draft === undefined) drafts.set(id, { made: undefined, change: more });
  else draft.change = draft.change === undefined ? more : { ...draft.change, ...more };
}

function write<R>(
  id: string,
  { made, change: changed }: Draft<R>,
  insert: (record: R) => void,
  update: (id: string, change: Partial<R>) => void,
): void {
  if (made !== undefined) insert(changed === undefined ? made : { ...made, ...changed });
  else if (changed !== undefined) update(id, changed);
}

function isCurrent({ made, change: changed }: Draft<TurnRecord>): boolean {
  const state = changed?.state ?? made?.state;
  return state === 'open' || state === 'waiting';
}

/** The batch writes booleans as numbers, so records can be passed unchanged. */
function forRecords<R>({ sql, names }: Pick<Statement<R, unknown>, 'sql' | 'names'>): Statement<R, unknown> {
  return { sql, names };
}
