import {
  approvalOptionSchema,
  questionSchema,
  askReasonSchema,
  REQUEST_APPROVAL_TOOL,
  scopeSchema,
  storedPreviewSchema,
  storedSandboxSchema,
  unknownOutcomeSchema,
  type Approval,
  type Message,
} from '@countersign/protocol';
import { z } from 'zod';
import type { ApprovalView, CallEnd, Decision, Speaker, TranscriptMessage } from './state.js';

/** One call as the message that made it tells it. */
export interface CallFacts {
  invocationId: string;
  toolName: string;
  arguments: unknown;
  startedAt: string | undefined;
  end: CallEnd | undefined;
}

/** What a message of the one standard shape (M1) means to a view. */
export type MessageMeaning =
  | { kind: 'line'; line: TranscriptMessage; calls: readonly CallFacts[] }
  | { kind: 'request'; approval: ApprovalView; decision: Decision | undefined }
  | { kind: 'decision'; approvalId: string; decision: Decision }
  | { kind: 'result'; invocationId: string; agentId: string; end: CallEnd; at: string }
  /** Of a shape that a later server may write: not shown, and no reason to stop. */
  | { kind: 'nothing' };

/** Ids are ours (P5): what a model calls itself can't pose as a question. */
const APPROVAL = 'approval_';

export function readMessage(message: Message): MessageMeaning {
  switch (message.role) {
    case 'tool':
      return readToolMessage(message);
    case 'assistant': {
      const question = message.tool_calls?.find(({ id }) => id.startsWith(APPROVAL));
      return question === undefined ? readLine(message) : readRequest(message, question);
    }
    case 'user':
    case 'system':
      return readLine(message);
  }
}

function readLine(message: Message): MessageMeaning {
  const calls = (message.tool_calls ?? []).map((call): CallFacts => {
    const status = message.toolCallStatus?.[call.id];
    return {
      invocationId: call.id,
      toolName: call.function.name,
      arguments: parseJson(call.function.arguments) ?? call.function.arguments,
      startedAt: message.toolCallStartedAt?.[call.id],
      end: status?.complete === true ? readEnd(status.result) : undefined,
    };
  });
  const line: TranscriptMessage = {
    messageId: message.messageId,
    speaker: speakerOf(message),
    content: message.content,
    createdAt: message.createdAt,
    ...(message.replyToMessageId === undefined ? {} : { replyToMessageId: message.replyToMessageId }),
    ...(message.clientMessageId === undefined ? {} : { clientMessageId: message.clientMessageId }),
    invocationIds: calls.map(({ invocationId }) => invocationId),
    ...(message.usage === undefined ? {} : { usage: message.usage }),
  };
  return { kind: 'line', line, calls };
}

function speakerOf({ role, sender, agentId }: Message): Speaker {
  if (role === 'assistant') return { kind: 'agent', agentId: agentId ?? sender };
  if (role === 'user') return sender === 'world' ? { kind: 'world' } : { kind: 'person', name: sender };
  return { kind: 'system' };
}

const requestSchema = z.object({
  originalToolCall: z.object({ id: z.string().min(1), name: z.string(), arguments: z.unknown() }),
  message: z.string(),
  options: z.array(approvalOptionSchema),
  callHash: z.string(),
  workingDirectory: z.string(),
  sandbox: storedSandboxSchema,
  preview: storedPreviewSchema.exactOptional(),
  /** Absent in transcripts of older versions, which have only `why`. */
  reason: askReasonSchema.exactOptional(),
  why: z.string(),
  proposedRule: z.string().exactOptional(),
  expiresAt: z.string().exactOptional(),
  question: questionSchema.nullable().exactOptional(),
});
const summarySchema = z.object({
  decision: z.enum(['approve', 'deny']),
  scope: scopeSchema,
  timestamp: z.string(),
});

type Call = NonNullable<Message['tool_calls']>[number];

function readRequest(message: Message, call: Call): MessageMeaning {
  if (call.function.name !== REQUEST_APPROVAL_TOOL) return { kind: 'nothing' };
  const parsed = requestSchema.safeParse(parseJson(call.function.arguments));
  if (!parsed.success) return { kind: 'nothing' };
  const { originalToolCall, question, why, reason = { code: 'legacy', text: why }, ...shown } = parsed.data;
  const approval: ApprovalView = {
    approvalId: call.id,
    invocationId: originalToolCall.id,
    chatId: message.chatId,
    agentId: message.agentId ?? message.sender,
    toolName: originalToolCall.name,
    arguments: originalToolCall.arguments,
    requestedAt: message.createdAt,
    ...shown,
    reason,
    ...(question === undefined || question === null ? {} : { question }),
  };
  const status = message.toolCallStatus?.[call.id];
  const summary = summarySchema.safeParse(status?.result);
  if (status?.complete !== true || !summary.success) return { kind: 'request', approval, decision: undefined };
  const { decision, scope, timestamp } = summary.data;
  return {
    kind: 'request',
    approval,
    decision: { outcome: decision === 'approve' ? 'approved' : 'denied', scope, by: '', at: timestamp },
  };
}

const decisionSchema = z.object({
  decision: z.enum(['approve', 'deny']),
  scope: scopeSchema,
  reason: z.string().exactOptional(),
  expired: z.boolean().exactOptional(),
  superseded: z.boolean().exactOptional(),
  client: z.string().exactOptional(),
  answer: z.string().exactOptional(),
  released: z.boolean().exactOptional(),
  rule: z.string().exactOptional(),
  /** JSON text of what a person made of the call. */
  arguments: z.string().exactOptional(),
});

function readToolMessage(message: Message): MessageMeaning {
  const id = message.tool_call_id;
  if (id === undefined) return { kind: 'nothing' };
  const content = parseJson(message.content);
  if (!id.startsWith(APPROVAL)) {
    const agentId = message.agentId ?? '';
    return { kind: 'result', invocationId: id, agentId, end: readEnd(content), at: message.createdAt };
  }
  const parsed = decisionSchema.safeParse(content);
  if (!parsed.success) return { kind: 'nothing' };
  const { decision, scope, reason, expired, superseded, client, answer, released, rule } = parsed.data;
  const { arguments: edited } = parsed.data;
  const signed = decision === 'approve' ? 'approved' : 'denied';
  return {
    kind: 'decision',
    approvalId: id,
    decision: {
      outcome: expired === true ? 'expired' : superseded === true ? 'superseded' : signed,
      scope,
      by: message.sender,
      ...(client === undefined ? {} : { client }),
      at: message.createdAt,
      ...(reason === undefined ? {} : { reason }),
      ...(answer === undefined ? {} : { answer }),
      ...(released === true ? { released: rule === undefined ? {} : { rule } } : {}),
      ...(edited === undefined ? {} : { editedArguments: parseJson(edited) ?? edited }),
    },
  };
}

const endSchema = z.union([
  z.object({ error: z.string(), reason: z.string() }),
  z.object({
    error: z.string(),
    outcome: unknownOutcomeSchema.optional().catch(undefined),
    result: z.unknown().exactOptional(),
  }),
  z.object({ result: z.unknown().exactOptional() }),
]);

/** The frame in which a result is kept (T14): what a tool says stands under `result` and can't pose as how its call ended. */
function readEnd(frame: unknown): CallEnd {
  const parsed = endSchema.safeParse(frame);
  if (!parsed.success) return { kind: 'succeeded', result: frame };
  const end = parsed.data;
  if ('reason' in end) return { kind: 'denied', reason: end.reason };
  if (!('error' in end)) return { kind: 'succeeded', result: end.result ?? null };
  return {
    kind: 'failed',
    error: end.error,
    ...(end.outcome === undefined ? {} : { outcome: end.outcome }),
    ...(end.result === undefined ? {} : { result: end.result }),
  };
}

/** The same question as the queue lists it (W3). Its place there goes: it would be old with the next answer. */
export function viewOfApproval(listed: Approval): ApprovalView {
  const { toolCallId, expiresAt, preview, proposedRule, question } = listed;
  return {
    approvalId: listed.approvalId,
    invocationId: toolCallId,
    chatId: listed.chatId,
    agentId: listed.agentId,
    toolName: listed.toolName,
    arguments: listed.arguments,
    message: listed.message,
    options: listed.options,
    callHash: listed.callHash,
    requestedAt: listed.requestedAt,
    workingDirectory: listed.workingDirectory,
    sandbox: listed.sandbox,
    reason: listed.reason,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(preview === undefined ? {} : { preview }),
    ...(proposedRule === undefined ? {} : { proposedRule }),
    ...(question === undefined ? {} : { question }),
  };
}

/** Undefined for what is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
