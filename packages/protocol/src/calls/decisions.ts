import { z } from 'zod';
import { field, text, chatId, turnId } from '../input/field.js';
import { scopeSchema, toolDefinitionSchema } from './tools.js';

/**
 * A person's decision on one approval (CALL4). Strict: silently dropping a misspelled `reason` or `scope` would approve something the person
 * didn't intend (CALL15).
 */
export const toolDecisionSchema = z.strictObject({
  tool_call_id: field(z.string().min(1).max(200), 'Id of the approval or of the call.'),
  decision: field(z.enum(['approve', 'deny']), 'approve or deny.'),
  scope: field(scopeSchema.exactOptional(), 'How long the decision applies: once, session (this chat) or always.'),
  reason: field(z.string().max(4000).exactOptional(), 'Why it was denied. The agent sees it.'),
  arguments: field(
    z.record(z.string(), z.unknown()).exactOptional(),
    'Edited arguments: nothing runs, and the edited call gets a new approval. Masks are replaced with their values.',
  ),
  pattern: field(
    z.string().min(1).max(2000).exactOptional(),
    'With `session`: an argument pattern that limits the grant.',
  ),
  rule: field(
    z.string().min(1).max(2000).exactOptional(),
    'With `always`: the rule to add instead of the proposed one.',
  ),
  callHash: text('Keyed hash of the call as shown. A decision with a different hash is rejected.').exactOptional(),
  shownMs: field(
    z.number().int().min(0).exactOptional(),
    'How long the call was on the screen before this decision, in milliseconds, for the audit log. Leave it out if nobody saw the whole card.',
  ),
  turnId: turnId.exactOptional(),
  chatId: chatId.exactOptional(),
});
/** A decision on one approval. */
export type ToolDecision = z.infer<typeof toolDecisionSchema>;

const { tool_call_id, decision, reason } = toolDecisionSchema.shape;
const worldId = field(z.string().min(1).max(200), 'Id of the world.');

/** Independent decisions of one person, each on one call and as if it was sent alone. */
export const newDecisionsSchema = z.strictObject({
  decisions: field(
    z
      .array(
        z.strictObject({
          worldId,
          tool_call_id,
          decision,
          reason,
          callHash: text('Keyed hash of the call as shown. A decision with a different hash is rejected.'),
        }),
      )
      .min(1)
      .max(200),
    'Decisions on up to 200 calls. Their scope is once.',
  ),
});
export type NewDecisions = z.infer<typeof newDecisionsSchema>;

/** What became of one of several decisions. */
export const decisionResultSchema = z.object({
  worldId,
  tool_call_id,
  status: field(z.int(), 'The HTTP status that this decision would have got alone.'),
  kind: field(z.enum(['recorded', 'repeated']).exactOptional(), 'Set if it was accepted, now or earlier.'),
  state: text('Current state of the call.').exactOptional(),
  detail: text('Why it was refused.').exactOptional(),
});
export type DecisionResult = z.infer<typeof decisionResultSchema>;

/** The maximum length of an answer. Longer text belongs in a file. */
const LONGEST_ANSWER = 100_000;

/** A person's answer to a question (HTTP2) from `ask_human` or a running tool. It is data and approves nothing. */
export const questionAnswerSchema = z.strictObject({
  tool_call_id: field(z.string().min(1).max(200), 'Id of the approval or of the call.'),
  content: field(
    z
      .string()
      .max(LONGEST_ANSWER, `an answer can have at most ${LONGEST_ANSWER} characters`)
      .refine((content) => content.trim() !== '', 'an answer must not be empty'),
    'Text of the answer.',
  ),
  turnId: turnId.exactOptional(),
  chatId: chatId.exactOptional(),
});
/** A person's answer to a question. */
export type QuestionAnswer = z.infer<typeof questionAnswerSchema>;

/** The result of a client tool, sent by its client (CALL16). Requires either content or an error. */
export const clientToolResultSchema = z
  .strictObject({
    tool_call_id: field(z.string().min(1).max(200), 'Id of the approval or of the call.'),
    content: text('What the tool returned.').exactOptional(),
    error: field(z.string().min(1).exactOptional(), 'Why the tool failed.'),
  })
  .refine(({ content, error }) => (content === undefined) !== (error === undefined), 'send either content or error');
export type ClientToolResult = z.infer<typeof clientToolResultSchema>;

/** A client's registration (HTTP2). Its tools are validated individually, under the names that agents use. */
export const newClientSchema = z.strictObject({
  label: field(z.string().min(1).max(200), 'Name of the client, shown to people.'),
  approvals: field(z.boolean(), 'Whether the client can ask a person for approvals.'),
  tools: field(
    z
      .array(toolDefinitionSchema.omit({ location: true }))
      .max(1000)
      .exactOptional(),
    'Tools that the client runs itself.',
  ),
});
export type NewClient = z.infer<typeof newClientSchema>;

export type RefusalCode = 'unknown' | 'foreign' | 'settled' | 'expired' | 'changed' | 'not-allowed' | 'invalid';

/**
 * The outcome of a decision or result (HTTP14). Returned, not thrown, because a late click is not an error. `status` is the HTTP status; `state` is
 * the current state of the call.
 */
export type ToolResultOutcome =
  | { kind: 'recorded'; status: 200; invocationId: string; state: string }
  | { kind: 'repeated'; status: 200; invocationId: string; state: string }
  | { kind: 'refused'; status: 403 | 404 | 409 | 422; code: RefusalCode; detail: string; state?: string };
