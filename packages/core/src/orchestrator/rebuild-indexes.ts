import { z } from 'zod';
import { approvalOptionSchema, scopeSchema, type ToolEvent } from '@countersign/protocol';
import type {
  ApprovalRecord,
  GrantRecord,
  InvocationRecord,
  InvocationStatus,
  MessageRecord,
  StoreReader,
  Tool,
  TurnOutcome,
  TurnRecord,
} from '../ports/index.js';
import { isApprovalId, turnId } from '../turn/ids.js';
import { isSettled } from '../turn/next-step.js';
import type { Runtime } from './runtime.js';

const PAGE = 500;
const UNKNOWN_OUTCOME = /outcome unknown"/;

/**
 * Makes the rows that only serve look-ups (turns, calls, approvals, grants) anew from messages and lifecycle events, which are
 * the truth (A9). For a store whose index rows were lost or damaged; nothing may run meanwhile. What a process alone knows, such
 * as who holds a turn and how often it was interrupted, starts from nothing.
 */
export async function rebuildIndexes(runtime: Runtime, worldId: string): Promise<void> {
  await runtime.store.transact(worldId, async (tx) => {
    const record = await readRecord(tx, worldId);
    const tools = runtime.tools(worldId);
    const approvals = record.messages.flatMap(readApproval).map((approval) => withDecision(approval, record));
    const invocations = record.messages.flatMap((message) => readInvocations(message, approvals, record, tools));
    await tx.clearIndexes(worldId);
    for (const turn of readTurns(record, invocations)) await tx.insertTurn(turn);
    for (const invocation of markUnknown(invocations, approvals)) await tx.insertInvocation(invocation);
    for (const approval of approvals) await tx.insertApproval(approval);
    for (const grant of approvals.flatMap((approval) => readGrant(approval, record))) await tx.insertGrant(grant);
  });
}

/** Everything that is true of a world, read once. */
interface WorldRecordOfTruth {
  /** Of all chats; within a chat in order. */
  messages: readonly MessageRecord[];
  /** Results and decisions, by the id they answer. */
  answers: ReadonlyMap<string, MessageRecord>;
  /** Lifecycle events of a call, in order, with their time. */
  lifecycles: ReadonlyMap<string, { type: ToolEvent['type']; at: number }[]>;
  recordedEnds: ReadonlyMap<string, { outcome: string; at: number }>;
  revoked: ReadonlyMap<string, number>;
}

async function readRecord(reader: StoreReader, worldId: string): Promise<WorldRecordOfTruth> {
  const messages: MessageRecord[] = [];
  for (const chat of await reader.chats(worldId)) {
    for (let after = 0; ;) {
      const page = await reader.messages(chat.id, { after, limit: PAGE });
      messages.push(...page);
      const last = page.at(-1);
      if (last === undefined) break;
      after = last.seq;
    }
  }
  const answers = new Map<string, MessageRecord>();
  for (const message of messages) if (message.toolCallId !== null) answers.set(message.toolCallId, message);
  const lifecycles = new Map<string, { type: ToolEvent['type']; at: number }[]>();
  const recordedEnds = new Map<string, { outcome: string; at: number }>();
  const revoked = new Map<string, number>();
  for (let after = 0; ;) {
    const page = await reader.events(worldId, { after, limit: PAGE });
    for (const event of page) {
      if (event.event === 'tool') {
        const life = lifecycles.get(event.data.invocation_id) ?? [];
        life.push({ type: event.data.type, at: event.at });
        lifecycles.set(event.data.invocation_id, life);
      } else if (event.event === 'world' && event.data.type === 'turn-ended' && event.data.turnId !== undefined) {
        recordedEnds.set(event.data.turnId, { outcome: event.data.outcome ?? 'stopped', at: event.at });
      } else if (event.event === 'crud' && event.data.entity === 'grant' && event.data.operation === 'delete') {
        revoked.set(event.data.id, event.at);
      }
    }
    const last = page.at(-1);
    if (last === undefined) break;
    after = last.id;
  }
  return { messages, answers, lifecycles, recordedEnds, revoked };
}

const questionSchema = z.object({
  originalToolCall: z.object({ id: z.string(), name: z.string() }),
  message: z.string(),
  options: z.array(approvalOptionSchema),
  callHash: z.string(),
  why: z.string(),
  rule: z.string().nullable().default(null),
  proposedRule: z.string().nullable().default(null),
  workingDirectory: z.string(),
  sandbox: z.string(),
  preview: z.string().nullable().default(null),
  expiresAt: z.iso.datetime().nullable().default(null),
});

const verdictSchema = z.object({
  decision: z.enum(['approve', 'deny']),
  scope: scopeSchema,
  reason: z.string().nullable().default(null),
  expired: z.boolean().default(false),
  superseded: z.boolean().default(false),
  digest: z.string().nullable().default(null),
  arguments: z.string().optional(),
  callHash: z.string().optional(),
  grantId: z.string().optional(),
  pattern: z.string().nullable().default(null),
});

function readApproval(message: MessageRecord): ApprovalRecord[] {
  const call = message.toolCalls?.[0];
  if (call === undefined || !isApprovalId(call.id) || message.agentId === null) return [];
  const question = questionSchema.parse(JSON.parse(call.function.arguments));
  return [
    {
      id: call.id,
      worldId: message.worldId,
      chatId: message.chatId,
      agentId: message.agentId,
      invocationId: question.originalToolCall.id,
      messageId: message.id,
      toolName: question.originalToolCall.name,
      callHash: question.callHash,
      message: question.message,
      options: question.options,
      why: question.why,
      rule: question.rule,
      proposedRule: question.proposedRule,
      workingDirectory: question.workingDirectory,
      sandbox: question.sandbox,
      preview: question.preview,
      status: 'pending',
      decision: null,
      scope: null,
      reason: null,
      decisionDigest: null,
      decidedBy: null,
      requestedAt: message.createdAt,
      expiresAt: question.expiresAt === null ? null : Date.parse(question.expiresAt),
      decidedAt: null,
    },
  ];
}

function withDecision(approval: ApprovalRecord, record: WorldRecordOfTruth): ApprovalRecord {
  const answer = record.answers.get(approval.id);
  const verdict = verdictOf(approval, record);
  if (answer === undefined || verdict === undefined) return approval;
  return {
    ...approval,
    status: statusOf(verdict),
    decision: verdict.decision,
    scope: verdict.scope,
    reason: verdict.reason,
    decisionDigest: verdict.digest,
    decidedBy: answer.sender,
    decidedAt: answer.createdAt,
  };
}

function statusOf({ expired, superseded, decision }: z.infer<typeof verdictSchema>): ApprovalRecord['status'] {
  if (expired) return 'expired';
  if (superseded) return 'superseded';
  return decision === 'approve' ? 'approved' : 'denied';
}

function verdictOf(approval: ApprovalRecord, record: WorldRecordOfTruth): z.infer<typeof verdictSchema> | undefined {
  const answer = record.answers.get(approval.id);
  return answer === undefined ? undefined : verdictSchema.parse(JSON.parse(answer.content));
}

const STATUS_AFTER: Record<ToolEvent['type'], InvocationStatus> = {
  TOOL_APPROVAL_REQUESTED: 'asked',
  TOOL_APPROVED: 'approved',
  TOOL_DENIED: 'denied',
  TOOL_EXECUTION_STARTED: 'started',
  TOOL_EXECUTION_SUCCEEDED: 'succeeded',
  TOOL_EXECUTION_FAILED: 'failed',
};

function readInvocations(
  message: MessageRecord,
  approvals: readonly ApprovalRecord[],
  record: WorldRecordOfTruth,
  tools: ReadonlyMap<string, Tool>,
): InvocationRecord[] {
  const { agentId, turnId: turn, iteration } = message;
  if (message.toolCalls === null || agentId === null || turn === null || iteration === null) return [];
  return message.toolCalls.flatMap((call, position) => {
    if (isApprovalId(call.id)) return [];
    const life = record.lifecycles.get(call.id) ?? [];
    const last = life.at(-1);
    const answer = record.answers.get(call.id);
    const approval = approvals.findLast((candidate) => candidate.invocationId === call.id);
    const verdict = approval === undefined ? undefined : verdictOf(approval, record);
    // An edit outlives the question it was made at: asked anew, it is the edited call that is shown and runs (A7).
    const edit = approvals
      .filter((candidate) => candidate.invocationId === call.id)
      .findLast((candidate) => verdictOf(candidate, record)?.arguments !== undefined);
    const edited = edit === undefined ? undefined : verdictOf(edit, record)?.arguments;
    const status = last === undefined ? 'approved' : STATUS_AFTER[last.type];
    const startedAt = life.find((event) => event.type === 'TOOL_EXECUTION_STARTED')?.at ?? null;
    const tool = tools.get(call.function.name);
    const told = tool?.trusted === true ? tool.definition : undefined;
    return [
      {
        id: call.id,
        worldId: message.worldId,
        chatId: message.chatId,
        agentId,
        turnId: turn,
        iteration,
        position,
        messageId: message.id,
        toolName: call.function.name,
        arguments: edited ?? call.function.arguments,
        edited: edited !== undefined,
        callHash: verdict?.callHash ?? approval?.callHash ?? null,
        status,
        location: tool?.definition.location ?? 'server',
        readOnly: told?.readOnly ?? false,
        idempotent: told?.idempotent ?? false,
        approvalId: approval?.id ?? null,
        // Before every epoch there is: whatever was running, its process is gone.
        startedEpoch: startedAt === null ? null : 0,
        result: answer?.content ?? null,
        outcomeUnknown: status === 'failed' && UNKNOWN_OUTCOME.test(answer?.content ?? ''),
        createdAt: message.createdAt,
        startedAt,
        settledAt: isSettled(status) ? (answer?.createdAt ?? null) : null,
      },
    ];
  });
}

/** A later yes to the same call answered the question of what became of it (S3). */
function markUnknown(
  invocations: readonly InvocationRecord[],
  approvals: readonly ApprovalRecord[],
): InvocationRecord[] {
  const approvedAt = new Map<string, number>();
  const key = (call: InvocationRecord): string => `${call.chatId}\n${call.toolName}\n${call.arguments}`;
  const byId = new Map(invocations.map((call) => [call.id, call]));
  for (const approval of approvals) {
    const call = byId.get(approval.invocationId);
    if (call === undefined || approval.decision !== 'approve' || approval.decidedAt === null) continue;
    approvedAt.set(key(call), Math.max(approvedAt.get(key(call)) ?? 0, approval.decidedAt));
  }
  return invocations.map((call) => {
    const answered = (approvedAt.get(key(call)) ?? -1) > (call.settledAt ?? Number.MAX_SAFE_INTEGER);
    return call.outcomeUnknown && answered ? { ...call, outcomeUnknown: false } : call;
  });
}

function readGrant(approval: ApprovalRecord, record: WorldRecordOfTruth): GrantRecord[] {
  const verdict = verdictOf(approval, record);
  if (verdict?.grantId === undefined || approval.decidedAt === null || approval.decidedBy === null) return [];
  return [
    {
      id: verdict.grantId,
      worldId: approval.worldId,
      chatId: approval.chatId,
      agentId: approval.agentId,
      toolName: approval.toolName,
      pattern: verdict.pattern,
      answeredRule: approval.rule,
      grantedBy: approval.decidedBy,
      grantedAt: approval.decidedAt,
      lastUsedAt: approval.decidedAt,
      revokedAt: record.revoked.get(verdict.grantId) ?? null,
    },
  ];
}

function readTurns(record: WorldRecordOfTruth, invocations: readonly InvocationRecord[]): TurnRecord[] {
  const own = new Map<string, MessageRecord[]>();
  for (const message of record.messages) {
    if (message.turnId === null) continue;
    own.set(message.turnId, [...(own.get(message.turnId) ?? []), message]);
  }
  const calls = new Map<string, InvocationRecord[]>();
  for (const call of invocations) calls.set(call.turnId, [...(calls.get(call.turnId) ?? []), call]);

  /** The turn an agent has under way in a chat, while walking through the triggers in order. */
  const current = new Map<string, TurnRecord>();
  const turns: TurnRecord[] = [];
  for (const trigger of record.messages) {
    for (const agentId of trigger.addressees) {
      const id = turnId(trigger.id, agentId);
      const place = `${trigger.chatId}\n${agentId}`;
      const before = current.get(place);
      const turn = readTurn(id, agentId, trigger, own.get(id) ?? [], calls.get(id) ?? [], record, before);
      if (before === undefined || before.state === 'ended') current.set(place, turn);
      turns.push(turn);
    }
  }
  return turns;
}

function readTurn(
  id: string,
  agentId: string,
  trigger: MessageRecord,
  own: readonly MessageRecord[],
  calls: readonly InvocationRecord[],
  record: WorldRecordOfTruth,
  before: TurnRecord | undefined,
): TurnRecord {
  const end = endOf(id, own, record);
  const behind = before !== undefined && before.state !== 'ended';
  const usage = own.flatMap((message) => message.providerState?.usage ?? []);
  // Notices carry the iteration they ended, which is no answer of a model.
  const iteration = Math.max(0, ...own.filter((message) => message.role === 'assistant').map((m) => m.iteration ?? 0));
  const open = calls.filter((call) => call.iteration === iteration);
  const waits =
    open.some((call) => !isSettled(call.status)) &&
    open.every((call) => isSettled(call.status) || call.status === 'asked' || isForwarded(call));
  return {
    id,
    worldId: trigger.worldId,
    chatId: trigger.chatId,
    agentId,
    triggerId: trigger.id,
    triggerSeq: trigger.seq,
    state: end !== undefined ? 'ended' : behind ? 'queued' : waits ? 'waiting' : 'open',
    outcome: end?.outcome ?? null,
    // A model that passed was called once more than there are messages to show for it.
    iteration: end?.outcome === 'passed' ? iteration + 1 : iteration,
    epoch: 1,
    rev: 1,
    owner: null,
    interruptions: 0,
    begunSeq: behind ? null : Math.max(trigger.seq, before?.begunSeq ?? 0),
    inputTokens: usage.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    outputTokens: usage.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
    createdAt: trigger.createdAt,
    endedAt: end?.at ?? null,
  };
}

function isForwarded(call: InvocationRecord): boolean {
  return call.status === 'started' && call.location === 'client';
}

/** How a turn ended: as recorded, or else with an answer. */
function endOf(
  id: string,
  own: readonly MessageRecord[],
  record: WorldRecordOfTruth,
): { outcome: TurnOutcome; at: number } | undefined {
  const recorded = record.recordedEnds.get(id);
  if (recorded !== undefined) return { outcome: recorded.outcome as TurnOutcome, at: recorded.at };
  const answer = own.find((message) => message.role === 'assistant' && message.toolCalls === null);
  if (answer === undefined) return undefined;
  return { outcome: answer.iteration === 0 ? 'handed-over' : 'answered', at: answer.createdAt };
}
