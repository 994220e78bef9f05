import type {
  ApprovalRecord,
  ChatRecord,
  GrantRecord,
  CallRecord,
  MessageRecord,
  StoredEvent,
  TurnRecord,
} from '@countersign/core/ports';
import type { AuditEntry, ToolEvent } from '@countersign/protocol';
import type { Lab } from './lab.js';

/** One call with all its stored data. */
export interface LabCall {
  row: CallRecord;
  /** The call's lifecycle with the event ids, in order. */
  events: { id: number; data: ToolEvent }[];
  approvals: ApprovalRecord[];
  results: MessageRecord[];
  runs: AuditEntry[];
}

/** Everything stored about a lab's world. */
export interface WorldRecordOf {
  events: StoredEvent[];
  chats: ChatRecord[];
  messages: MessageRecord[];
  turns: TurnRecord[];
  /** Mentioned agents without a turn: `message.agent`. */
  missingTurns: string[];
  unfinished: TurnRecord[];
  calls: LabCall[];
  approvals: ApprovalRecord[];
  grants: GrantRecord[];
  audit: AuditEntry[];
}

const ALL = { after: 0, limit: 100_000 };

export async function readRecord(lab: Lab): Promise<WorldRecordOf> {
  const { store, worldId } = lab;
  return store.read(async (reader) => {
    const events = await reader.events(worldId, { ...ALL, after: lab.firstEventId - 1 });
    const chats = (await Promise.all(lab.chatIds.map((id) => reader.chat(id)))).filter((chat) => chat !== undefined);
    const messages = (await Promise.all(lab.chatIds.map((id) => reader.messages(id, ALL)))).flat();
    const approvals = (await Promise.all(lab.chatIds.map((chatId) => reader.approvals(worldId, { chatId })))).flat();
    const audit = await reader.audit(worldId, { ...ALL, after: lab.bench.auditSeq });
    const turns: TurnRecord[] = [];
    const missingTurns: string[] = [];
    for (const message of messages) {
      for (const agentId of message.addressees) {
        const turn = await reader.turn(`turn_${message.id.replace(/^msg_/, '')}.${agentId}`);
        if (turn === undefined) missingTurns.push(`${message.id}.${agentId}`);
        else turns.push(turn);
      }
    }
    const calls: LabCall[] = [];
    for (const message of messages.filter(({ providerState }) => providerState !== null)) {
      for (const { id } of message.toolCalls ?? []) {
        const row = await reader.invocation(id);
        if (row === undefined) continue;
        calls.push({
          row,
          events: events.flatMap((event) =>
            event.event === 'tool' && event.data.invocation_id === id ? [{ id: event.id, data: event.data }] : [],
          ),
          approvals: approvals.filter((approval) => approval.invocationId === id),
          results: messages.filter(({ toolCallId }) => toolCallId === id),
          runs: audit.filter((entry) => entry.kind === 'run' && entry.invocationId === id),
        });
      }
    }
    const grants: GrantRecord[] = [];
    for (const event of events) {
      if (event.event !== 'crud' || event.data.entity !== 'grant' || event.data.operation !== 'create') continue;
      const grant = await reader.grant(event.data.id);
      if (grant !== undefined) grants.push(grant);
    }
    const unfinished = await reader.unfinishedTurns();
    return { events, chats, messages, turns, missingTurns, unfinished, calls, approvals, grants, audit };
  });
}
