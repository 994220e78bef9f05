import { readWho, type Message, type ToolCall, type ToolCallStatus } from '@countersign/protocol';
import type { ApprovalRecord, CallRecord, MessageRecord } from '../ports/index.js';
import { maskArguments, maskResult, maskSecrets } from '../masking/index.js';
import { isApprovalId } from '../turn/ids.js';
import { isSettled } from '../turn/next-step.js';

/** A message as shown to people: standard shape (WORLD1), secrets masked (SAFE6). */
export function toPublicMessage(record: MessageRecord, status?: Record<string, CallState>): Message {
  const { agentId, replyTo, toolCalls, toolCallId, clientMessageId, attachments, providerState } = record;
  const message: Message = {
    messageId: record.id,
    chatId: record.chatId,
    role: record.role,
    sender: record.sender,
    content: record.role === 'tool' ? maskJsonText(record.content, record.secrets) : maskSecrets(record.content),
    createdAt: new Date(record.createdAt).toISOString(),
  };
  if (record.who !== null) message.who = readWho(record.who);
  if (agentId !== null) message.agentId = agentId;
  if (replyTo !== null) message.replyToMessageId = replyTo;
  if (toolCalls !== null) {
    message.tool_calls = toolCalls.map(showCall);
    if (status === undefined) message.toolCallStatus = openStatus(toolCalls);
    else Object.assign(message, showCalls(status));
  }
  if (toolCallId !== null) message.tool_call_id = toolCallId;
  if (clientMessageId !== null) message.clientMessageId = clientMessageId;
  if (attachments !== null)
    message.attachments = attachments.map((file) => ({ ...file, name: maskSecrets(file.name) }));
  if (providerState?.usage !== undefined) message.usage = providerState.usage;
  if (providerState?.stoppedBy !== undefined) message.stoppedBy = providerState.stoppedBy;
  if (providerState?.thinking !== undefined) message.thinking = maskSecrets(providerState.thinking);
  return message;
}

/** The status of a call and its start time. */
type CallState = ToolCallStatus & { startedAt?: string };

function showCalls(states: Record<string, CallState>): Pick<Message, 'toolCallStatus' | 'toolCallStartedAt'> {
  const all = Object.entries(states);
  const started = all.flatMap(([id, { startedAt }]) => (startedAt === undefined ? [] : [[id, startedAt] as const]));
  return {
    toolCallStatus: Object.fromEntries(all.map(([id, { complete, result }]) => [id, { complete, result }])),
    ...(started.length === 0 ? {} : { toolCallStartedAt: Object.fromEntries(started) }),
  };
}

/** The status of a call, as clients get it in a message (WORLD1). */
export function callStatus(invocation: Pick<CallRecord, 'status' | 'result' | 'arguments' | 'startedAt'>): CallState {
  const started = invocation.startedAt === null ? {} : { startedAt: new Date(invocation.startedAt).toISOString() };
  if (!isSettled(invocation.status)) return { complete: false, result: null, ...started };
  const { secrets } = maskArguments(invocation.arguments);
  return { complete: true, result: maskResult(invocation.result ?? 'null', secrets), ...started };
}

export function approvalStatus(approval: ApprovalRecord): ToolCallStatus {
  if (approval.status === 'pending') return { complete: false, result: null };
  return {
    complete: true,
    result: {
      decision: approval.decision,
      scope: approval.scope,
      timestamp: approval.decidedAt === null ? null : new Date(approval.decidedAt).toISOString(),
    },
  };
}

/** Approvals were already masked when written; masking them again would escape the masks. */
export function showCall(call: ToolCall): ToolCall {
  if (isApprovalId(call.id)) return call;
  const { name, arguments: text } = call.function;
  const { value } = maskArguments(text);
  return { ...call, function: { name, arguments: typeof value === 'string' ? value : JSON.stringify(value) } };
}

/** Text that isn't JSON, such as truncated arguments, is masked as plain text. */
function maskJsonText(text: string, secrets: readonly string[] = []): string {
  const value = maskResult(text, secrets);
  return value === undefined ? maskSecrets(text) : JSON.stringify(value);
}

function openStatus(calls: readonly ToolCall[]): Record<string, ToolCallStatus> {
  const open: Record<string, ToolCallStatus> = {};
  for (const { id } of calls) open[id] = { complete: false, result: null };
  return open;
}
