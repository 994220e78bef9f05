import { z } from 'zod';
import type { ApprovalOption, Scope } from './tools.js';
import type { Message } from './messages.js';

const approvalStatusSchema = z.enum(['pending', 'approved', 'denied', 'expired', 'superseded']);
export type ApprovalStatus = z.infer<typeof approvalStatusSchema>;

/** Which questions to show (W3). */
export const approvalFilterSchema = z.strictObject({
  status: approvalStatusSchema.exactOptional(),
  chatId: z.string().exactOptional(),
});
export type ApprovalFilter = z.infer<typeof approvalFilterSchema>;

/** One question in a person's queue (W3 `approvals`, A3). Arguments are masked (A15). */
export interface Approval {
  approvalId: string;
  toolCallId: string;
  turnId: string;
  agentId: string;
  agentName: string;
  chatId: string;
  toolName: string;
  arguments: unknown;
  message: string;
  options: ApprovalOption[];
  callHash: string;
  status: ApprovalStatus;
  requestedAt: string;
  expiresAt?: string;
  /** Where the call would act. */
  workingDirectory: string;
  sandbox: string;
  /** What it would change, such as a diff; masked. */
  preview?: string;
  /** The rule that made it ask, or the reason in words. */
  why: string;
  /** The rule that "always" would write. */
  proposedRule?: string;
}

/** With the question a person sees the last messages of its chat, at most ten (A3). */
export interface ApprovalWithContext extends Approval {
  context: Message[];
}

/** A decision that outlives its call, visible and revocable (A5, A14). */
export interface Grant {
  grantId: string;
  agentId: string;
  chatId: string;
  toolName: string;
  /** Absent: every call of the tool by this agent in this chat. */
  pattern?: string;
  scope: Exclude<Scope, 'once' | 'always'>;
  grantedBy: string;
  grantedAt: string;
  lastUsedAt: string;
}

/** One line of the audit log (A16). What is secret in it is masked before it is written. */
export interface AuditRecord {
  at: string;
  worldId: string;
  kind: 'request' | 'decision' | 'run' | 'outcome' | 'refusal' | 'policy' | 'grant' | 'stop';
  chatId?: string;
  agentId?: string;
  tool?: string;
  invocationId?: string;
  arguments?: unknown;
  decision?: string;
  scope?: string;
  who?: string;
  client?: string;
  why?: string;
  rule?: string;
}

export interface AuditEntry extends AuditRecord {
  seq: number;
  previousHash: string;
  hash: string;
}
