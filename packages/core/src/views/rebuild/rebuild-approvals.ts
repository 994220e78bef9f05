import { z } from 'zod';
import {
  approvalOptionSchema,
  questionSchema,
  scopeSchema,
  storedPreviewSchema,
  storedSandboxSchema,
} from '@countersign/protocol';
import type { ApprovalRecord, GrantRecord, MessageRecord } from '../../ports/index.js';
import { isApprovalId } from '../../turn/ids.js';
import { UNDECIDED } from '../../calls/write-approval.js';
import type { Truth } from './read-truth.js';

/** As `writeApproval` writes it. */
const requestSchema = z.object({
  originalToolCall: z.object({ id: z.string(), name: z.string() }),
  message: z.string(),
  options: z.array(approvalOptionSchema),
  callHash: z.string(),
  why: z.string(),
  rule: z.string().nullable().default(null),
  ruleDigest: z.string().optional(),
  proposedRule: z.string().nullable().default(null),
  workingDirectory: z.string(),
  sandbox: storedSandboxSchema,
  preview: storedPreviewSchema.nullable().default(null),
  question: questionSchema
    .extend({ raisedBy: z.enum(['call', 'tool']) })
    .nullable()
    .default(null),
  expiresAt: z.iso.datetime().nullable().default(null),
});

/** As `closeApproval` writes it. */
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
  /** By a grant or rule: the gate decides when it starts, and no signature does. */
  released: z.boolean().default(false),
  pattern: z.string().nullable().default(null),
});
type Verdict = z.infer<typeof verdictSchema>;

/** A question with the answer it got, if it got one. */
export interface RebuiltApproval {
  approval: ApprovalRecord;
  verdict: Verdict | undefined;
}

/** `ruleOf` finds the rule that has this digest, among those there are: in a message one with a secret in it is masked. */
export function rebuildApprovals(truth: Truth, ruleOf: (digest: string) => string | undefined): RebuiltApproval[] {
  return truth.messages.flatMap((message): RebuiltApproval[] => {
    const approval = readQuestion(message, ruleOf);
    if (approval === undefined) return [];
    const answer = truth.answers.get(approval.id);
    if (answer === undefined) return [{ approval, verdict: undefined }];
    const verdict = verdictSchema.parse(JSON.parse(answer.content));
    return [{ approval: withAnswer(approval, verdict, answer), verdict }];
  });
}

function readQuestion(
  message: MessageRecord,
  ruleOf: (digest: string) => string | undefined,
): ApprovalRecord | undefined {
  const call = message.toolCalls?.[0];
  if (call === undefined || !isApprovalId(call.id) || message.agentId === null) return undefined;
  const request = requestSchema.parse(JSON.parse(call.function.arguments));
  const { originalToolCall, expiresAt, ruleDigest, rule, ...question } = request;
  return {
    ...question,
    rule: (ruleDigest === undefined ? undefined : ruleOf(ruleDigest)) ?? rule,
    id: call.id,
    worldId: message.worldId,
    chatId: message.chatId,
    agentId: message.agentId,
    invocationId: originalToolCall.id,
    messageId: message.id,
    toolName: originalToolCall.name,
    ...UNDECIDED,
    requestedAt: message.createdAt,
    expiresAt: expiresAt === null ? null : Date.parse(expiresAt),
  };
}

function withAnswer(approval: ApprovalRecord, verdict: Verdict, answer: MessageRecord): ApprovalRecord {
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

function statusOf({ expired, superseded, decision }: Verdict): ApprovalRecord['status'] {
  if (expired) return 'expired';
  if (superseded) return 'superseded';
  return decision === 'approve' ? 'approved' : 'denied';
}

export function rebuildGrants(approvals: readonly RebuiltApproval[], truth: Truth): GrantRecord[] {
  return approvals.flatMap(({ approval, verdict }) => {
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
        revokedAt: truth.revoked.get(verdict.grantId) ?? null,
      },
    ];
  });
}
