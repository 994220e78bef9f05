import { z } from 'zod';
import {
  api,
  field,
  text,
  agentId,
  agentName,
  approvalId,
  chatId,
  toolCallId,
  toolName,
  turnId,
} from '../input/field.js';
import { callSandboxSchema, previewSchema } from './call-sandbox.js';
import { callContextSchema } from './call-context.js';
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

/** A filter for approvals (HTTP2). */
export const approvalFilterSchema = z.strictObject({
  status: approvalStatusSchema.exactOptional(),
  chatId: z.string().exactOptional(),
});
export type ApprovalFilter = z.infer<typeof approvalFilterSchema>;

/** A question to a person (`ask_human`, MCP elicitation). Choices are suggestions: any text answers it, and no answer approves anything. */
export const questionSchema = z.object({
  text: text('The text.'),
  choices: field(z.array(z.string()), 'Suggested answers. Free text is accepted too.'),
  form: field(
    questionFormSchema.exactOptional(),
    'Fields of the question. Answer with a JSON object of their values, as text.',
  ),
  approves: field(z.literal(true).exactOptional(), 'Set if an answer can approve what `text` shows, such as a plan.'),
});
/** A question to people. */
export type Question = z.infer<typeof questionSchema>;

/** What approving "for this chat" can cover (CALL5.2). */
export const sessionOfferSchema = z.object({
  pattern: text(
    'What it covers by default, one pattern per line: the same program and options, with paths in the working folder, or the same arguments. Absent if only “*” is possible.',
  ).exactOptional(),
  any: field(z.boolean(), 'Whether the pattern “*” is accepted: every call of the tool. False outside the sandbox.'),
  folder: text("The only folder in which it covers calls, or `unknown`. Absent if it is the world's.").exactOptional(),
});
export type SessionOffer = z.infer<typeof sessionOfferSchema>;

const chatTitle = text('Title of the chat. Only in lists of approvals.').exactOptional();

/** One approval in a person's queue (HTTP2 `approvals`, CALL3). Arguments are masked (SAFE6). */
export const approvalSchema = z.object({
  approvalId,
  toolCallId,
  turnId,
  agentId,
  agentName,
  chatId,
  toolName,
  arguments: field(z.unknown(), 'Arguments of the call. Secrets are masked.'),
  message: text('Text shown to the person.'),
  options: field(z.array(approvalOptionSchema), 'Available decisions, always including deny.'),
  callHash: text('Keyed hash of the call as shown. A decision with a different hash is rejected.'),
  status: field(approvalStatusSchema.clone(), 'Current status.'),
  requestedAt: text('When approval was requested.'),
  expiresAt: text('When it expires.').exactOptional(),
  abandoned: field(
    z.literal(true).exactOptional(),
    'Set if the program outside that proposed the call no longer asks for the answer. Approving it may run nothing.',
  ),
  deferred: field(
    z.literal(true).exactOptional(),
    'Set if that program has ended, and runs the call when it is resumed after the approval.',
  ),
  workingDirectory: text('The working directory of the call.'),
  sandbox: field(callSandboxSchema.clone(), 'How the call runs and what it can reach.'),
  preview: previewSchema.exactOptional(),
  effect: field(
    effectSchema.exactOptional(),
    'What the call will do to the working folder, if it was rehearsed. An approval applies exactly this.',
  ),
  prediction: predictionSchema.exactOptional(),
  noEffect: noEffectSchema.exactOptional(),
  claimedContext: callContextSchema.exactOptional(),
  reason: field(askReasonSchema.clone(), 'Why the call needs approval.'),
  why: text('The reason as a sentence.'),
  needs: field(
    z.array(neededSignaturesSchema).exactOptional(),
    'Who must sign the call, and who has, for each rule that says so.',
  ),
  session: field(
    sessionOfferSchema.exactOptional(),
    'What approving with scope “session” can cover. Set if it is offered.',
  ),
  proposedRule: text('The rule that "always" would add.').exactOptional(),
  editable: field(
    z.literal(false).exactOptional(),
    "False if the arguments can't be edited, because the program that runs the call takes only a yes or no.",
  ),
  edited: field(
    z.literal(true).exactOptional(),
    'Present if a person edited the call, which then needs approval again.',
  ),
  question: field(questionSchema.exactOptional(), 'Present if this is a question to answer, not a call to approve.'),
});
api.add(approvalSchema, { id: 'Approval' });
/** A call that needs or needed approval, as shown to people. */
export type Approval = z.infer<typeof approvalSchema>;

/** An approval with its position in the queue (CALL12). Decided approvals have no position. */
export const queuedApprovalSchema = approvalSchema.extend({
  chatTitle,
  position: field(
    z.number().int().min(1).exactOptional(),
    'Position in the queue, starting at 1. Absent after the 100th.',
  ),
  total: field(z.number().int().min(0).exactOptional(), 'Number of waiting approvals, counted up to 100.'),
  more: field(z.literal(true).exactOptional(), 'Set if more than `total` are pending.'),
});
api.add(queuedApprovalSchema, { id: 'QueuedApproval' });
export type QueuedApproval = z.infer<typeof queuedApprovalSchema>;

/** A pending approval in a list of several worlds. */
export const waitingCallSchema = approvalSchema.extend({ worldId: text('Id of the world.'), chatTitle });
api.add(waitingCallSchema, { id: 'WaitingCall' });
export type WaitingCall = z.infer<typeof waitingCallSchema>;

/** An approval with the latest messages in its chat, at most ten (CALL3). */
export const approvalWithContextSchema = queuedApprovalSchema.extend({
  context: field(z.array(messageSchema), 'The last messages of the chat, at most ten.'),
});
api.add(approvalWithContextSchema, { id: 'ApprovalWithContext' });
/** An approval with the latest messages in its chat. */
export type ApprovalWithContext = z.infer<typeof approvalWithContextSchema>;

/** An unmasked call, for a person who asked to see it (SAFE6). Invisible characters are escaped. */
export const revealedCallSchema = z.object({
  toolCallId,
  toolName,
  arguments: field(z.unknown(), 'Unmasked arguments of the call.'),
});
api.add(revealedCallSchema, { id: 'RevealedCall' });
export type RevealedCall = z.infer<typeof revealedCallSchema>;

/** A decision that still applies after its call. It is listed and can be revoked (CALL5, CALL14). */
export const grantSchema = z.object({
  grantId: text('Id of the grant.'),
  agentId,
  chatId,
  toolName,
  folder: text("The only folder in which it covers calls, or `unknown`. Absent if it is the world's.").exactOptional(),
  pattern: text('Argument pattern of a rule. Absent: any arguments.').exactOptional(),
  scope: field(z.literal('session'), 'How long the grant applies: session is this chat.'),
  grantedBy: field(whoSchema.clone(), 'Who granted it.'),
  grantedAt: text('When it was granted.'),
  lastUsedAt: text('When a call last ran because of it.'),
});
api.add(grantSchema, { id: 'Grant' });
/** A decision that covers later calls, until it is revoked. */
export type Grant = z.infer<typeof grantSchema>;

/** One record in the audit log (LOG1). Secrets are masked before it is written. */
const auditRecordSchema = z.object({
  at: text('When it happened.'),
  worldId: text('Id of the world.'),
  kind: field(
    z.enum([
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
    'What the record is about.',
  ),
  chatId: chatId.exactOptional(),
  agentId: agentId.exactOptional(),
  tool: text('Name of the tool.').exactOptional(),
  invocationId: text('Id of the call.').exactOptional(),
  requester: field(whoSchema.exactOptional(), 'Whose message led to the call, or whose program proposed it.'),
  approvalId: approvalId.exactOptional(),
  arguments: field(z.unknown().exactOptional(), 'Arguments of the call. Secrets are masked.'),
  original: text('Unmasked arguments of the run, encrypted.').exactOptional(),
  judged: text('What the gate judged, encrypted, to replay the call under other rules.').exactOptional(),
  decision: text('What was decided.').exactOptional(),
  scope: text('How long the decision applies: once, session (this chat) or always.').exactOptional(),
  edited: field(
    z.literal(true).exactOptional(),
    'Set if a person edited the call before approving it. `arguments` are the approved ones.',
  ),
  batch: text('Id of the batch, if the call was decided together with others.').exactOptional(),
  shownMs: field(
    z.number().int().exactOptional(),
    'How long the card was on the screen before the decision, in milliseconds, as far as the client says.',
  ),
  who: whoSchema.exactOptional(),
  for: field(principalSchema.exactOptional(), 'The person whose right to sign was used: they delegated it to `who`.'),
  via: text('Device or client that it came from.').exactOptional(),
  client: text('The id of the registered client.').exactOptional(),
  why: text('The reason as a sentence.').exactOptional(),
  rule: text('The rule that decided.').exactOptional(),
  effectHash: text(
    'For a rehearsal: the hash of the effect that was found. For an undo: of the effect that was signed.',
  ).exactOptional(),
  attempts: field(
    z.number().int().min(2).exactOptional(),
    'How often the command ran, if conflicts made it run again.',
  ),
  receipt: field(storedReceiptSchema.exactOptional(), 'What a passkey signed, with the key that verified it.'),
});
export type AuditRecord = z.infer<typeof auditRecordSchema>;

export const auditEntrySchema = auditRecordSchema.extend({
  seq: field(z.number().int(), 'Number of the record.'),
  previousHash: text('Hash of the previous record.'),
  hash: text('Hash of this record, chained to the previous hash.'),
});
api.add(auditEntrySchema, { id: 'AuditEntry' });
/** A record in the audit log, with its place in the hash chain. */
export type AuditEntry = z.infer<typeof auditEntrySchema>;

/** Whether a world's audit chain is intact (LOG1). */
export const auditVerdictSchema = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    records: field(z.number().int(), 'Number of records.'),
    unguarded: field(
      z.number().int().exactOptional(),
      'Number of records at the start of the log that the head file does not cover.',
    ),
  }),
  z.object({
    ok: z.literal(false),
    at: field(z.number().int(), 'The number of the first invalid record.'),
    problem: field(z.enum(['edited', 'removed', 'reordered', 'cut-off']), 'What is wrong with the record.'),
    detail: text('What is wrong, as a sentence.'),
  }),
]);
/** Whether the audit log is intact. */
export type AuditVerdict = z.infer<typeof auditVerdictSchema>;
