import { unknownOutcomeSchema, type ToolCall, type ToolEvent } from '@countersign/protocol';
import { z } from 'zod';
import type { InvocationRecord, InvocationStatus, MessageRecord, Tool } from '../../ports/index.js';
import { isApprovalId } from '../../turn/ids.js';
import { isSettled } from '../../turn/next-step.js';
import { groupBy } from './group-by.js';
import type { Truth } from './read-truth.js';
import type { RebuiltApproval } from './rebuild-approvals.js';

/** As `settleInvocation` writes it. */
const failedSchema = z.object({ error: z.string(), outcome: unknownOutcomeSchema.optional() });
/** Records of earlier versions have no field for it. */
const OLD_UNKNOWN = /, outcome unknown$/;

const STATUS_AFTER: Record<ToolEvent['type'], InvocationStatus> = {
  TOOL_APPROVAL_REQUESTED: 'asked',
  TOOL_APPROVED: 'approved',
  TOOL_DENIED: 'denied',
  TOOL_EXECUTION_STARTED: 'started',
  TOOL_EXECUTION_SUCCEEDED: 'succeeded',
  TOOL_EXECUTION_FAILED: 'failed',
};

export function rebuildInvocations(
  truth: Truth,
  approvals: readonly RebuiltApproval[],
  tools: ReadonlyMap<string, Tool>,
): InvocationRecord[] {
  // What a running tool asked about says nothing of whether it may run.
  const signed = approvals.filter(({ approval }) => approval.question?.raisedBy !== 'tool');
  const asked = groupBy(signed, ({ approval }) => approval.invocationId);
  const calls = truth.messages.flatMap((message) =>
    (message.toolCalls ?? []).flatMap((call, position) =>
      isApprovalId(call.id) ? [] : readInvocation(message, call, position, asked.get(call.id) ?? [], truth, tools),
    ),
  );
  return withoutAnsweredDoubts(calls, signed);
}

function readInvocation(
  message: MessageRecord,
  call: ToolCall,
  position: number,
  asked: readonly RebuiltApproval[],
  truth: Truth,
  tools: ReadonlyMap<string, Tool>,
): InvocationRecord[] {
  const { agentId, turnId, iteration } = message;
  if (agentId === null || turnId === null || iteration === null) return [];
  const life = truth.lifecycles.get(call.id) ?? [];
  const last = life.at(-1);
  const answer = truth.answers.get(call.id);
  const current = asked.at(-1);
  // An edit outlives the question it was made at: asked anew, it is the edited call that is shown and runs (A7).
  const edited = asked.findLast(({ verdict }) => verdict?.arguments !== undefined)?.verdict?.arguments;
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
      turnId,
      iteration,
      position,
      messageId: message.id,
      toolName: call.function.name,
      arguments: edited ?? call.function.arguments,
      edited: edited !== undefined,
      callHash:
        current?.verdict?.released === true ? null : (current?.verdict?.callHash ?? current?.approval.callHash ?? null),
      status,
      location: tool?.definition.location ?? 'server',
      readOnly: told?.readOnly ?? false,
      idempotent: told?.idempotent ?? false,
      approvalId: current?.approval.id ?? null,
      // Before every epoch there is: whatever was running, its process is gone.
      startedEpoch: startedAt === null ? null : 0,
      result: answer?.content ?? null,
      outcomeUnknown: status === 'failed' && isUnknown(answer?.content ?? 'null'),
      createdAt: message.createdAt,
      startedAt,
      settledAt: isSettled(status) ? (answer?.createdAt ?? null) : null,
    },
  ];
}

function isUnknown(content: string): boolean {
  const failed = failedSchema.safeParse(JSON.parse(content));
  return failed.success && (failed.data.outcome !== undefined || OLD_UNKNOWN.test(failed.data.error));
}

/** A later yes to the same call answered the question of what became of it (S3). */
function withoutAnsweredDoubts(
  calls: readonly InvocationRecord[],
  approvals: readonly RebuiltApproval[],
): InvocationRecord[] {
  const approvedAt = new Map<string, number>();
  const key = (call: InvocationRecord): string => `${call.chatId}\n${call.toolName}\n${call.arguments}`;
  const byId = new Map(calls.map((call) => [call.id, call]));
  for (const { approval } of approvals) {
    const call = byId.get(approval.invocationId);
    if (call === undefined || approval.decision !== 'approve' || approval.decidedAt === null) continue;
    approvedAt.set(key(call), Math.max(approvedAt.get(key(call)) ?? 0, approval.decidedAt));
  }
  return calls.map((call) => {
    const answered = (approvedAt.get(key(call)) ?? -1) > (call.settledAt ?? Number.MAX_SAFE_INTEGER);
    return call.outcomeUnknown && answered ? { ...call, outcomeUnknown: false } : call;
  });
}
