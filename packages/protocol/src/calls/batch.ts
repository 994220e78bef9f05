import { z } from 'zod';
import { agentId, api, approvalId, field, text, toolCallId, toolName } from '../input/field.js';
import { passkeyConfirmationSchema } from '../people/passkeys.js';
import { effectSchema } from './effect.js';
import { neededSignaturesSchema } from './needed-signatures.js';

/** The most calls that can be reviewed together (CHANGE11.8). */
export const MAX_BATCH = 20;

const anApproval = z.string().min(1).max(200);

/** Waiting calls of one chat to review together. They run in the order in which they were made, whatever the order here. */
export const newBatchSchema = z.strictObject({
  approvals: field(z.array(anApproval).min(2).max(MAX_BATCH), 'Ids of 2 to 20 pending approvals of one chat.'),
});
export type NewBatch = z.infer<typeof newBatchSchema>;

const callShape = {
  approvalId,
  toolCallId,
  agentId,
  toolName,
  arguments: field(z.unknown(), 'Arguments of the call. Secrets are masked.'),
};

const batchCallSchema = z.object({
  ...callShape,
  effect: field(effectSchema.clone(), 'What this call did, after the calls before it.'),
});

/** Several calls that were rehearsed one after another, and what they change together (CHANGE11). Nothing was applied. */
export const batchSchema = z.object({
  id: text('Id of the batch.'),
  batchHash: text('Keyed hash of the calls, their order, the rules and the change. A decision must repeat it.'),
  calls: field(z.array(batchCallSchema), 'The calls in the order in which they run.'),
  effect: field(effectSchema.clone(), 'What all calls change together. An approval applies exactly this, or nothing.'),
  between: field(
    z.array(z.string()),
    'Paths that calls wrote but that end as they were, so that applying the batch leaves nothing of them.',
  ),
  last: field(
    z.object({ ...callShape, why: text('Why it could not be rehearsed.') }).exactOptional(),
    'A call that could not be rehearsed. It runs after the others were applied, if `approveLast` is sent too, and is not undone with them.',
  ),
  needs: field(
    z.array(neededSignaturesSchema.clone()).exactOptional(),
    'The signatures that the calls need together, and have. Absent if no rule says who must sign.',
  ),
});
api.add(batchSchema, { id: 'Batch' });
/** Several calls that a person reviews and decides as one. */
export type CallBatch = z.infer<typeof batchSchema>;

/** A person's decision on all calls of a batch (CHANGE11.4). */
export const batchDecisionSchema = z.strictObject({
  decision: field(z.enum(['approve', 'deny']), 'approve or deny. It applies to all calls.'),
  batchHash: text('Hash of the batch as shown. A decision with a different hash is rejected.'),
  approveLast: field(
    z.boolean().exactOptional(),
    'Whether to approve the call in `last` too, once the others were applied.',
  ),
  reason: field(z.string().max(4000).exactOptional(), 'Why the calls were denied. The agents see it.'),
  confirmation: field(
    passkeyConfirmationSchema.clone().exactOptional(),
    'The signature of a passkey, if a rule requires one. Start it with the action `sign-batch`.',
  ),
});
export type BatchDecision = z.infer<typeof batchDecisionSchema>;

export const batchReplySchema = z.object({
  kind: field(z.enum(['recorded', 'repeated']), 'recorded; repeated if the same decision was recorded earlier.'),
  state: text('State of the calls: approved, denied, or asked if more signatures are needed.'),
});
api.add(batchReplySchema, { id: 'BatchReply' });
/** What became of a decision on a batch. */
export type BatchReply = z.infer<typeof batchReplySchema>;
