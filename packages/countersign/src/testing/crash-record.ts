import type { ApprovalRecord, AuditVerdict, CallRecord, MessageRecord, StoredEvent } from '@countersign/core/ports';
import type { ToolEvent, ToolEventType } from '@countersign/protocol';
import { openSqlite } from '@countersign/storage';

/** The content of a file after the process that owned it died. */
export interface CrashRecord {
  events: StoredEvent[];
  messages: MessageRecord[];
  calls: CallRecord[];
  approvals: ApprovalRecord[];
  chatStatus: string | undefined;
  unfinished: number;
  audit: AuditVerdict;
}

const ALL = { after: 0, limit: 100_000 };

export async function readCrashRecord(file: string): Promise<CrashRecord> {
  const store = await openSqlite(file);
  try {
    const [world] = await store.read((reader) => reader.worlds());
    const worldId = world?.id ?? 'none';
    const audit = await store.verifyAudit(worldId);
    return await store.read(async (reader) => {
      const [chat] = await reader.chats(worldId);
      const messages = chat === undefined ? [] : await reader.messages(chat.id, ALL);
      const ids = messages
        .filter(({ providerState }) => providerState !== null)
        .flatMap(({ toolCalls }) => toolCalls ?? []);
      const calls = await Promise.all(ids.map(({ id }) => reader.invocation(id)));
      return {
        events: await reader.events(worldId, ALL),
        messages,
        calls: calls.filter((call) => call !== undefined),
        approvals: await reader.approvals(worldId, {}),
        chatStatus: chat?.status,
        unfinished: (await reader.unfinishedTurns()).length,
        audit,
      };
    });
  } finally {
    await store.close();
  }
}

/** The lifecycle of one call so far, in order. */
export function lifecycleOf({ events }: CrashRecord, invocationId: string): ToolEventType[] {
  return eventsOf(events, invocationId).map(({ type }) => type);
}

function eventsOf(events: readonly StoredEvent[], invocationId: string): ToolEvent[] {
  return events.flatMap((event) =>
    event.event === 'tool' && event.data.invocation_id === invocationId ? [event.data] : [],
  );
}
