import { z } from 'zod';
import { callSandboxSchema, previewSchema } from './call-sandbox.js';
import { effectSchema, noEffectSchema, predictionSchema } from './effect.js';
import { messageSchema } from './messages.js';
import { principalSchema } from '../people/delegations.js';
import { neededSignaturesSchema } from './needed-signatures.js';
import { questionFormSchema } from './question-form.js';
import { askReasonSchema } from './reasons.js';
import { approvalOptionSchema } from './tools.js';
import { storedReceiptSchema } from '../people/receipts.js';
import { whoSchema } from '../people/who.js';

export const approvalStatusSchema = z.enum(['pending', 'approved', 'denied', 'expired', 'superseded']);
/** The state of an approval. */
export type ApprovalStatus = z.infer<typeof approvalStatusSchema>;

/** A filter for approvals (W3). */
export const approvalFilterSchema = z.strictObject({
  status: approvalStatusSchema.exactOptional(),
  chatId: z.string().exactOptional(),
});
export type ApprovalFilter = z.infer<typeof approvalFilterSchema>;

/** A question to a person (`ask_human`, MCP elicitation). Choices are suggestions: any text answers it, and no answer approves anything. */
export const questionSchema = z.object({
  text: z.string(),
  choices: z.array(z.string()),
  /** The fields of an MCP elicitation. The answer is a JSON object with their values, or text as for any question. */
  form: questionFormSchema.exactOptional(),
});
/** A question to people. */
export type Question = z.infer<typeof questionSchema>;

/** What approving "for this chat" can cover (A5.2). */
export const sessionOfferSchema = z.object({
  /** The default: calls with the same program and options, in the working folder, or with the same arguments. Absent if only `any` is possible. */
  pattern: z.string().exactOptional(),
  /** Whether the pattern `*` is accepted: every call of the tool. False outside the sandbox. */
  any: z.boolean(),
  /** The only folder in which it covers calls, or `unknown`. Absent if it is the world's. */
  folder: z.string().exactOptional(),
});
export type SessionOffer = z.infer<typeof sessionOfferSchema>;

/** One approval in a person's queue (W3 `approvals`, A3). Arguments are masked (A15). */
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
  /** Set if the program outside that proposed the call no longer asks for the answer. Approving it may run nothing (A55.9). */
  abandoned: z.literal(true).exactOptional(),
  /** Set if that program has ended, and runs the call when it is resumed after the approval (A55.10). */
  deferred: z.literal(true).exactOptional(),
  /** The working directory of the call. */
  workingDirectory: z.string(),
  sandbox: callSandboxSchema,
  preview: previewSchema.exactOptional(),
  /** What the call will do to the working folder, if it was rehearsed. An approval applies exactly this. */
  effect: effectSchema.exactOptional(),
  /**
   * What the call did in a rehearsal, if another program runs it itself (A60). That program may do something else: nobody applies this, and no signature
   * covers it.
   */
  prediction: predictionSchema.exactOptional(),
  /** Why a call whose tool can rehearse has no effect to show. */
  noEffect: noEffectSchema.exactOptional(),
  /** Why the call needs approval. */
  reason: askReasonSchema,
  /** The reason as a sentence. */
  why: z.string(),
  /** Who must sign, and who has, for each rule that says so (A48). Only for pending approvals. */
  needs: z.array(neededSignaturesSchema).exactOptional(),
  /** What "for this chat" can cover. Set if `approve_session` is offered. */
  session: sessionOfferSchema.exactOptional(),
  /** The rule that "always" would add. */
  proposedRule: z.string().exactOptional(),
  /** False if the arguments can't be edited, because the program that runs the call takes only a yes or no (A59). */
  editable: z.literal(false).exactOptional(),
  /** Set if a person edited the call, and nobody has approved the edited call yet (A7.4). */
  edited: z.literal(true).exactOptional(),
  /** Set if this is a question instead of an approval. Answer it with text, `{ tool_call_id, content }` (W3). */
  question: questionSchema.exactOptional(),
});
/** A call that needs or needed approval, as shown to people. */
export type Approval = z.infer<typeof approvalSchema>;

/** An approval with its position in the queue (A12). Decided approvals have no position. */
export const queuedApprovalSchema = approvalSchema.extend({
  /** Absent beyond the first 100. */
  position: z.number().int().min(1).exactOptional(),
  /** The number of pending approvals, capped at 100. */
  total: z.number().int().min(0).exactOptional(),
  /** Set if more than `total` are pending. */
  more: z.literal(true).exactOptional(),
});
export type QueuedApproval = z.infer<typeof queuedApprovalSchema>;

/** An approval with the latest messages in its chat, at most ten (A3). */
export const approvalWithContextSchema = queuedApprovalSchema.extend({ context: z.array(messageSchema) });
/** An approval with the latest messages in its chat. */
export type ApprovalWithContext = z.infer<typeof approvalWithContextSchema>;

/** An unmasked call, for a person who asked to see it (A15). Invisible characters are escaped. */
export const revealedCallSchema = z.object({ toolCallId: z.string(), toolName: z.string(), arguments: z.unknown() });
export type RevealedCall = z.infer<typeof revealedCallSchema>;

/** A decision that still applies after its call. It is listed and can be revoked (A5, A14). */
export const grantSchema = z.object({
  grantId: z.string(),
  agentId: z.string(),
  chatId: z.string(),
  toolName: z.string(),
  /** The only folder in which the grant covers calls, or `unknown`. Absent if it is the world's. */
  folder: z.string().exactOptional(),
  /** If absent, the grant covers every call to the tool by this agent in this chat. */
  pattern: z.string().exactOptional(),
  scope: z.literal('session'),
  grantedBy: whoSchema,
  grantedAt: z.string(),
  lastUsedAt: z.string(),
});
/** A decision that covers later calls, until it is revoked. */
export type Grant = z.infer<typeof grantSchema>;

/** One record in the audit log (A16). Secrets are masked before it is written. */
const auditRecordSchema = z.object({
  at: z.string(),
  worldId: z.string(),
  kind: z.enum([
    'rehearsal',
    'request',
    'sign',
    'decision',
    'run',
    'outcome',
    'undo',
    'refusal',
    'policy',
    'grant',
    'stop',
    'reveal',
  ]),
  chatId: z.string().exactOptional(),
  agentId: z.string().exactOptional(),
  tool: z.string().exactOptional(),
  invocationId: z.string().exactOptional(),
  /** Whose message led to the call, or whose program proposed it (A48.6). Absent if nobody is known. */
  requester: whoSchema.exactOptional(),
  approvalId: z.string().exactOptional(),
  arguments: z.unknown().exactOptional(),
  /** For a run: the unmasked arguments, encrypted with the store's key. */
  original: z.string().exactOptional(),
  decision: z.string().exactOptional(),
  scope: z.string().exactOptional(),
  /** Set if a person edited the call before approving it (A7.4). `arguments` are the approved ones. */
  edited: z.literal(true).exactOptional(),
  who: whoSchema.exactOptional(),
  /** The person whose right to sign was used: they delegated it to `who` (A51). */
  for: principalSchema.exactOptional(),
  /** The device or client that it came from. */
  via: z.string().exactOptional(),
  /** The id of the registered client. */
  client: z.string().exactOptional(),
  why: z.string().exactOptional(),
  rule: z.string().exactOptional(),
  /** For a rehearsal: the hash of the effect that was found. For an undo: of the effect that was signed. */
  effectHash: z.string().exactOptional(),
  /** For an outcome: how often the command ran, if a conflict made it run again (A45.2). */
  attempts: z.number().int().min(2).exactOptional(),
  /** What a passkey signed, with the key that verified it (A49). */
  receipt: storedReceiptSchema.exactOptional(),
});
export type AuditRecord = z.infer<typeof auditRecordSchema>;

export const auditEntrySchema = auditRecordSchema.extend({
  seq: z.number().int(),
  previousHash: z.string(),
  hash: z.string(),
});
/** A record in the audit log, with its place in the hash chain. */
export type AuditEntry = z.infer<typeof auditEntrySchema>;

/** Whether a world's audit chain is intact (A16). */
export const auditVerdictSchema = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    records: z.number().int(),
    /** The number of oldest records that the head file next to the store doesn't cover, because it was missing or new. Absent if zero. */
    unguarded: z.number().int().exactOptional(),
  }),
  z.object({
    ok: z.literal(false),
    /** The number of the first invalid record. */
    at: z.number().int(),
    problem: z.enum(['edited', 'removed', 'reordered', 'cut-off']),
    detail: z.string(),
  }),
]);
/** Whether the audit log is intact. */
export type AuditVerdict = z.infer<typeof auditVerdictSchema>;
