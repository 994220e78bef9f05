import { z } from 'zod';
import { scopeSchema } from './tools.js';

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
export interface Signer {
  who: string;
  client: string;
}

export type RefusalCode = 'unknown' | 'foreign' | 'settled' | 'expired' | 'changed' | 'invalid';

/**
 * What became of a decision or a result (W5), as a value: a late click is no exception.
 * `status` is what an HTTP server answers; `state` is how the call stands now.
 */
export type ToolResultOutcome =
  | { kind: 'recorded'; status: 200; invocationId: string; state: string }
  | { kind: 'repeated'; status: 200; invocationId: string; state: string }
  | { kind: 'refused'; status: 403 | 404 | 409 | 422; code: RefusalCode; detail: string; state?: string };
