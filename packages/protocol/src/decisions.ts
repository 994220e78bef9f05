import { z } from 'zod';
import { scopeSchema, toolDefinitionSchema } from './tools.js';

/**
 * A person's answer to one approval (A4). Strict: an unknown field is refused, because a misspelt
 * `reason` or `scope` that is silently dropped would sign something else than was meant (A17).
 */
export const toolDecisionSchema = z.strictObject({
  /** The approval's id or the call's. */
  tool_call_id: z.string().min(1).max(200),
  decision: z.enum(['approve', 'deny']),
  scope: scopeSchema.exactOptional(),
  reason: z.string().max(4000).exactOptional(),
  /** Edited arguments, with masks standing for their values (A15). */
  arguments: z.record(z.string(), z.unknown()).exactOptional(),
  /** With `session`: only calls like this, as a rule's argument pattern. */
  pattern: z.string().min(1).max(2000).exactOptional(),
  /** With `always`: the rule to write, if not the proposed one. */
  rule: z.string().min(1).max(2000).exactOptional(),
  callHash: z.string().exactOptional(),
  turnId: z.string().exactOptional(),
  chatId: z.string().exactOptional(),
});
export type ToolDecision = z.infer<typeof toolDecisionSchema>;

/** Most that a person answers; a longer text belongs in a file. */
const LONGEST_ANSWER = 100_000;

/** A person's words to a question (W3): `ask_human`, or one that a running tool put. They are data: no word of them decides anything. */
export const questionAnswerSchema = z.strictObject({
  /** The approval's id; the call's, if the call itself is the question. */
  tool_call_id: z.string().min(1).max(200),
  content: z
    .string()
    .max(LONGEST_ANSWER, `an answer has at most ${LONGEST_ANSWER} characters`)
    .refine((content) => content.trim() !== '', 'an answer must not be empty'),
  turnId: z.string().exactOptional(),
  chatId: z.string().exactOptional(),
});
export type QuestionAnswer = z.infer<typeof questionAnswerSchema>;

/** The answer of the client that owns a client tool (A18). An answer that says neither how it went nor why not is none. */
export const clientToolResultSchema = z
  .strictObject({
    tool_call_id: z.string().min(1).max(200),
    content: z.string().exactOptional(),
    error: z.string().min(1).exactOptional(),
  })
  .refine(({ content, error }) => (content === undefined) !== (error === undefined), 'either content or error');
export type ClientToolResult = z.infer<typeof clientToolResultSchema>;

/** Who signed, and from where; known from how the decision came in, never from what it says (A16). */
export const signerSchema = z.strictObject({ who: z.string().min(1).max(200), client: z.string().min(1).max(200) });
export type Signer = z.infer<typeof signerSchema>;

/** A client as it says what it is and can (W3). Its tools are looked at one by one, under the names they get. */
export const newClientSchema = z.strictObject({
  label: z.string().min(1).max(200),
  /** Whether it can put approvals before a person (A13). */
  approvals: z.boolean(),
  tools: z
    .array(toolDefinitionSchema.omit({ location: true }))
    .max(1000)
    .exactOptional(),
});
export type NewClient = z.infer<typeof newClientSchema>;

export type RefusalCode = 'unknown' | 'foreign' | 'settled' | 'expired' | 'changed' | 'invalid';

/**
 * What became of a decision or a result (W5), as a value: a late click is no exception.
 * `status` is what an HTTP server answers; `state` is how the call stands now.
 */
export type ToolResultOutcome =
  | { kind: 'recorded'; status: 200; invocationId: string; state: string }
  | { kind: 'repeated'; status: 200; invocationId: string; state: string }
  | { kind: 'refused'; status: 403 | 404 | 409 | 422; code: RefusalCode; detail: string; state?: string };
