import { describeReason, type AskReason, REQUEST_APPROVAL_TOOL } from '@countersign/protocol';
import type { ApprovalRecord, InvocationRecord } from '../ports/index.js';
import type { Runtime, Step } from '../step/runtime.js';
import { writeCallMessage } from '../step/write-message.js';

/** What a person is shown to sign or to answer. Secrets are masked already. */
export type Card = Pick<
  ApprovalRecord,
  'message' | 'options' | 'callHash' | 'workingDirectory' | 'sandbox' | 'preview' | 'question' | 'proposedRule'
> & {
  reason: AskReason;
  /** The ask rule as written, which grants are matched with, and as shown in the message, with its secrets masked. */
  rule: { asWritten: string; shown: string } | null;
};

/** Writes an approval to the transcript, as a standard tool call, and to the queue (A3), and starts its timer. */
export function writeApproval(
  runtime: Runtime,
  step: Step,
  approvalId: string,
  { invocation, shown, card }: { invocation: InvocationRecord; shown: unknown; card: Card },
): void {
  const { rule, reason, ...rest } = card;
  const timeout = step.snapshot.world.settings.approvalTimeoutMs;
  const requestedAt = step.tx.now();
  const expiresAt = timeout === undefined ? null : requestedAt + timeout;
  const { id: invocationId, worldId, chatId, agentId, toolName } = invocation;
  const request = {
    originalToolCall: { id: invocationId, name: toolName, arguments: shown },
    ...withoutNulls({ ...rest, reason, why: describeReason(reason), rule: rule?.shown ?? null }),
    ...(expiresAt === null ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
  };
  const written = writeCallMessage(step, invocation, {
    role: 'assistant',
    sender: agentId,
    speaker: 'agent',
    content: '',
    replyTo: invocation.messageId,
    toolCalls: [
      {
        id: approvalId,
        type: 'function',
        function: { name: REQUEST_APPROVAL_TOOL, arguments: JSON.stringify(request) },
      },
    ],
  });
  step.tx.insertApproval({
    ...rest,
    ...UNDECIDED,
    why: JSON.stringify(reason),
    rule: rule?.asWritten ?? null,
    id: approvalId,
    worldId,
    chatId,
    agentId,
    invocationId,
    messageId: written.id,
    toolName,
    requestedAt,
    expiresAt,
  });
  if (expiresAt !== null) step.afterCommit(() => runtime.watchDeadline(worldId, approvalId, expiresAt));
}

/** How every approval begins. */
const UNDECIDED = {
  status: 'pending',
  decision: null,
  scope: null,
  reason: null,
  decisionDigest: null,
  decidedBy: null,
  decidedAt: null,
} as const satisfies Partial<ApprovalRecord>;

function withoutNulls(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}
