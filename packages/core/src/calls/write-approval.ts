import { REQUEST_APPROVAL_TOOL } from '@countersign/protocol';
import { keyedHash } from '../approval/index.js';
import type { ApprovalRecord, InvocationRecord } from '../ports/index.js';
import type { Runtime, Step } from '../step/runtime.js';
import { writeCallMessage } from '../step/write-message.js';

/** What a person is shown to sign or to answer. Masked by whoever asks. */
export type Card = Pick<
  ApprovalRecord,
  'message' | 'options' | 'callHash' | 'workingDirectory' | 'sandbox' | 'preview' | 'question' | 'why' | 'proposedRule'
> & {
  /** The ask rule as it stands, for the grants that answer it; in the message it is masked. */
  rule: { asWritten: string; shown: string } | null;
};

/**
 * Puts a question in the transcript, as a standard tool call, and in the queue (A3); arms its deadline. The row is made from the same
 * card as the message: an index that is rebuilt from messages must come to the same (A9).
 */
export function writeApproval(
  runtime: Runtime,
  step: Step,
  approvalId: string,
  { invocation, shown, card }: { invocation: InvocationRecord; shown: unknown; card: Card },
): void {
  const { rule, ...rest } = card;
  const timeout = step.snapshot.world.settings.approvalTimeoutMs;
  const requestedAt = step.tx.now();
  const expiresAt = timeout === undefined ? null : requestedAt + timeout;
  const { id: invocationId, worldId, chatId, agentId, toolName } = invocation;
  const request = {
    originalToolCall: { id: invocationId, name: toolName, arguments: shown },
    ...withoutNulls({ ...rest, rule: rule?.shown ?? null }),
    // Where a secret in it is masked: by its words alone nobody could say which rule a grant answered (A9).
    ...(rule === null || rule.shown === rule.asWritten ? {} : { ruleDigest: ruleDigest(runtime, rule.asWritten) }),
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

/** Keyed: without the key, who sees it could try out what is secret in the rule. */
export function ruleDigest({ store }: Pick<Runtime, 'store'>, rule: string): string {
  return keyedHash(store.hashKey, `countersign.rule.1\n${rule}`);
}

/** How every question begins. */
export const UNDECIDED = {
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
