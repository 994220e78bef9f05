import { setImmediate } from 'node:timers/promises';
import type { Message, ToolCallStatus } from '@countersign/protocol';
import type { ApprovalRecord, CallRecord, MessageRecord, StoreReader } from '../ports/index.js';
import { maskLongTexts } from '../publishers/mask-long-texts.js';
import { approvalStatus, callStatus, toPublicMessage } from '../publishers/public-message.js';

/** A message with its calls, as read from the store. It is masked later, because masking is slow and would block the store. */
export interface ReadMessage {
  record: MessageRecord;
  calls: readonly { id: string; approval: ApprovalRecord | undefined; invocation: CallRecord | undefined }[];
}

export async function readMessage(reader: StoreReader, record: MessageRecord): Promise<ReadMessage> {
  const calls: ReadMessage['calls'][number][] = [];
  for (const { id } of record.toolCalls ?? []) {
    const approval = await reader.approval(id);
    calls.push({ id, approval, invocation: approval === undefined ? await reader.invocation(id) : undefined });
  }
  return { record, calls };
}

/** Messages as shown to people. Long ones are masked one at a time, yielding to the event loop in between. */
export async function showMessages(messages: readonly ReadMessage[]): Promise<Message[]> {
  await maskLongTexts(messages.map(({ record }) => record.content));
  const shown: Message[] = [];
  for (const { record, calls } of messages) {
    const { content, providerState } = record;
    if (content.length + (providerState?.thinking?.length ?? 0) > LONG_CHARACTERS) await setImmediate();
    shown.push(record.toolCalls === null ? toPublicMessage(record) : toPublicMessage(record, statusOf(calls)));
  }
  return shown;
}

/** Masking a text of this length takes a few milliseconds. */
const LONG_CHARACTERS = 16 * 1024;

function statusOf(calls: ReadMessage['calls']): Record<string, ToolCallStatus> {
  const status: Record<string, ToolCallStatus> = {};
  for (const { id, approval, invocation } of calls) {
    if (approval !== undefined) status[id] = approvalStatus(approval);
    else if (invocation !== undefined) status[id] = callStatus(invocation);
  }
  return status;
}
