import { z } from 'zod';
import { callSandboxSchema, previewSchema } from './call-sandbox.js';
import { messageSchema } from './messages.js';
import { askReasonSchema } from './reasons.js';
import { approvalOptionSchema } from './tools.js';

export const approvalStatusSchema = z.enum(['pending', 'approved', 'denied', 'expired', 'superseded']);
export type ApprovalStatus = z.infer<typeof approvalStatusSchema>;

/** Which questions to show (W3). */
export const approvalFilterSchema = z.strictObject({
  status: approvalStatusSchema.exactOptional(),
  chatId: z.string().exactOptional(),
});
export type ApprovalFilter = z.infer<typeof approvalFilterSchema>;

/** A question to a person (`ask_human`, MCP elicitation). Choices are suggestions: any text answers it, and no answer approves anything. */
export const questionSchema = z.object({ text: z.string(), choices: z.array(z.string()) });
export type Question = z.infer<typeof questionSchema>;

/** One question in a person's queue (W3 `approvals`, A3). Arguments are masked (A15). */
export const approvalSchema = z.object({
  approvalId: z.string(),
  toolCallId: z.string(),
  turnId: z.string(),
  agentId: z.string(),
  agentName: z.string(),
  chatId: z.string(),
  toolName: z.string(),
  arguments: z.unknown(),
  message: z.string(),
  options: z.array(approvalOptionSchema),
  callHash: z.string(),
  status: approvalStatusSchema,
  requestedAt: z.string(),
  expiresAt: z.string().exactOptional(),
  /** Where the call would act. */
  workingDirectory: z.string(),
  sandbox: callSandboxSchema,
  preview: previewSchema.exactOptional(),
  /** Why it needs approval. */
  reason: askReasonSchema,
  /** The same as a sentence. */
  why: z.string(),
  /** The rule that "always" would write. */
  proposedRule: z.string().exactOptional(),
  /** Present when this is no call to sign but a question to a person: answered with words, `{ tool_call_id, content }` (W3). */
  question: questionSchema.exactOptional(),
});
export type Approval = z.infer<typeof approvalSchema>;

/** A question with its place among those that wait (A12). Settled ones have none. */
export const queuedApprovalSchema = approvalSchema.extend({
  /** Absent beyond the 100th. */
  position: z.number().int().min(1).exactOptional(),
  /** How many wait, counted up to 100. */
  total: z.number().int().min(0).exactOptional(),
  /** More wait than `total`. */
  more: z.literal(true).exactOptional(),
});
export type QueuedApproval = z.infer<typeof queuedApprovalSchema>;

/** With the question a person sees the last messages of its chat, at most ten (A3). */
export const approvalWithContextSchema = queuedApprovalSchema.extend({ context: z.array(messageSchema) });
export type ApprovalWithContext = z.infer<typeof approvalWithContextSchema>;

/** A call with nothing masked, for a person who asked to see it (A15). Invisible characters are written out. */
export const revealedCallSchema = z.object({ toolCallId: z.string(), toolName: z.string(), arguments: z.unknown() });
export type RevealedCall = z.infer<typeof revealedCallSchema>;

/** A decision that outlives its call, visible and revocable (A5, A14). */
export const grantSchema = z.object({
  grantId: z.string(),
  agentId: z.string(),
  chatId: z.string(),
  toolName: z.string(),
  /** Absent: every call of the tool by this agent in this chat. */
  pattern: z.string().exactOptional(),
  scope: z.literal('session'),
  grantedBy: z.string(),
  grantedAt: z.string(),
  lastUsedAt: z.string(),
});
export type Grant = z.infer<typeof grantSchema>;

/** One line of the audit log (A16). What is secret in it is masked before it is written. */
const auditRecordSchema = z.object({
  at: z.string(),
  worldId: z.string(),
  kind: z.enum(['request', 'decision', 'run', 'outcome', 'refusal', 'policy', 'grant', 'stop', 'reveal']),
  chatId: z.string().exactOptional(),
  agentId: z.string().exactOptional(),
  tool: z.string().exactOptional(),
  invocationId: z.string().exactOptional(),
  approvalId: z.string().exactOptional(),
  arguments: z.unknown().exactOptional(),
  /** Of a run: its arguments with nothing masked, encrypted with the store's key. */
  original: z.string().exactOptional(),
  decision: z.string().exactOptional(),
  scope: z.string().exactOptional(),
  who: z.string().exactOptional(),
  client: z.string().exactOptional(),
  why: z.string().exactOptional(),
  rule: z.string().exactOptional(),
});
export type AuditRecord = z.infer<typeof auditRecordSchema>;

export const auditEntrySchema = auditRecordSchema.extend({
  seq: z.number().int(),
  previousHash: z.string(),
  hash: z.string(),
});
export type AuditEntry = z.infer<typeof auditEntrySchema>;

/** Whether a world's audit chain is whole (A16). */
export const auditVerdictSchema = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    records: z.number().int(),
    /** How many of the first records the head file beside the store does not know: it was missing or new then. Absent: it knows all. */
    unguarded: z.number().int().exactOptional(),
  }),
  z.object({
    ok: z.literal(false),
    /** The number of the first record that does not fit. */
    at: z.number().int(),
    problem: z.enum(['edited', 'removed', 'reordered', 'cut-off']),
    detail: z.string(),
  }),
]);
export type AuditVerdict = z.infer<typeof auditVerdictSchema>;
