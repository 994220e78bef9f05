import { z } from 'zod';
import { approvalFilterSchema } from './approvals.js';
import { clientToolResultSchema, questionAnswerSchema, toolDecisionSchema } from './decisions.js';
import { newAgentSchema, newChatSchema, newWorldSchema } from './worlds.js';

/** Ids in paths and queries. Longer than any of ours is none of ours. */
const id = z.string().min(1).max(200);

/** A place in a list. What is in it is the server's business: take it from `next`, or where it is said, the id of an item. */
const cursor = z.string().min(1).max(500);
const MOST_ITEMS = 1000;
const limit = z.coerce.number().int().min(1).max(MOST_ITEMS);

/** A part of a list, read forwards (W4). */
export const listQuerySchema = z.strictObject({ after: cursor.exactOptional(), limit: limit.exactOptional() });
export type ListQuery = z.infer<typeof listQuerySchema>;

/** The word that stands for the end of a list: `before=end` is its newest part. */
export const END_OF_LIST = 'end';

/** A part of a list that can be read backwards too. Items are oldest first either way. */
export const bothWaysQuerySchema = z
  .strictObject({
    after: cursor.exactOptional(),
    /** What comes right before this place; `end` for the newest. */
    before: cursor.exactOptional(),
    limit: limit.exactOptional(),
  })
  .refine(({ after, before }) => after === undefined || before === undefined, {
    message: 'either after or before',
    path: ['before'],
  });
export type BothWaysQuery = z.infer<typeof bothWaysQuerySchema>;

export const memoryQuerySchema = listQuerySchema.extend({ chat: id });

/** Without `status`: those that wait. */
export const approvalsQuerySchema = listQuerySchema.extend({
  status: approvalFilterSchema.shape.status,
  chat: id.exactOptional(),
});

export const searchQuerySchema = listQuerySchema.extend({
  q: z
    .string()
    .max(500)
    .refine((text) => text.trim() !== '', 'must not be empty'),
});

export const auditQuerySchema = listQuerySchema.extend({ format: z.enum(['json', 'jsonl', 'csv']).default('json') });

export const eventsQuerySchema = z.strictObject({
  /** The id of the last event that is known; `Last-Event-ID` counts for more. */
  after: z.coerce.number().int().min(0).exactOptional(),
});

/** Part of a definition: every field may be left out and then stays as it is; one that may be absent is taken away by null. */
function partOf<S extends z.ZodRawShape>(shape: S): z.ZodObject {
  const parts = Object.entries(shape).map(([name, field]) => [name, asPart(field)] as const);
  return z.strictObject(Object.fromEntries(parts));
}

/** A default must not fill in what was not said: it would loosen a mode, or drop an agent's rules, unasked. */
function asPart(field: z.core.$ZodType): z.ZodType {
  if (field instanceof z.ZodDefault) return asPart(field.unwrap());
  if (field instanceof z.ZodExactOptional) return z.nullable(field.unwrap()).exactOptional();
  return z.exactOptional(field);
}

const { policy: _, ...worldShape } = newWorldSchema.shape;
export const worldChangeSchema = partOf(worldShape);
export const agentChangeSchema = partOf(newAgentSchema.shape);
export const chatChangeSchema = z.strictObject({ title: newChatSchema.shape.title.unwrap() });
export type ChatChange = z.infer<typeof chatChangeSchema>;

const decisionBody = toolDecisionSchema.extend({ agentId: id.exactOptional() });
const answerBody = questionAnswerSchema.extend({ agentId: id.exactOptional() });

/** What may be sent about a call (W3): a decision, a client's result of its tool, or a person's words to a question. */
export const newToolResultSchema = z.union([decisionBody, answerBody, clientToolResultSchema]);
export type NewToolResult = z.infer<typeof newToolResultSchema>;

/** Which of them a body is meant to be: what is wrong with it is then said of that one, and not that it is none of three. */
export function toolResultSchemaFor(body: unknown): z.ZodType<NewToolResult> {
  if (typeof body !== 'object' || body === null || 'decision' in body) return decisionBody;
  return 'error' in body || ('content' in body && body.content === '') ? clientToolResultSchema : answerBody;
}

/** What became of it (W5). A refusal is a problem document instead. */
export const toolResultReplySchema = z.object({
  /** `repeated`: it was known already, and nothing ran. */
  kind: z.enum(['recorded', 'repeated']),
  invocationId: z.string(),
  state: z.string(),
});
export type ToolResultReply = z.infer<typeof toolResultReplySchema>;

const { rules } = z.strictObject({ rules: newWorldSchema.shape.policy.unwrap() }).shape;
/** Something that the author of a rule should know; the rule is stored all the same. */
export const ruleWarningSchema = z.object({
  /** Counts from one, comments and blank lines included. */
  line: z.int().min(1),
  rule: z.string(),
  /**
   * `unknown-tool`: the world has no tool of this name now; `closest` is the one that was probably meant. `unreadable`: an older version
   * stored a rule that can't be read, and `error` says why; it denies or asks about every call of its tool, or allows none.
   */
  code: z.enum(['unknown-tool', 'unreadable']),
  verb: z.enum(['allow', 'ask', 'deny']).exactOptional(),
  tool: z.string().exactOptional(),
  closest: z.string().exactOptional(),
  error: z.string().exactOptional(),
});
export type RuleWarning = z.infer<typeof ruleWarningSchema>;
/** A world's policy as it is shown. */
export const shownPolicySchema = z.object({
  rules,
  /** Allow rules that came with an import. They allow nothing until a policy that contains them is put (W3). */
  proposed: rules,
  warnings: z.array(ruleWarningSchema).exactOptional(),
});
export type ShownPolicy = z.infer<typeof shownPolicySchema>;
/** As it is put: `proposed` says which proposals stay; left out, all stay that are not among the rules now. */
export const newPolicySchema = z.strictObject({ rules, proposed: rules.exactOptional() });
export type NewPolicy = z.infer<typeof newPolicySchema>;
