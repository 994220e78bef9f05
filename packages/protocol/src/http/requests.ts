import { passkeyConfirmationSchema } from '../people/passkeys.js';
import { z } from 'zod';
import { approvalFilterSchema } from '../calls/approvals.js';
import { clientToolResultSchema, questionAnswerSchema, toolDecisionSchema } from '../calls/decisions.js';
import { mcpServerChangeSchema, newMcpServerSchema } from '../connections/mcp-servers.js';
import { newExternalAgentSchema } from '../external/external.js';
import { newTokenSchema } from '../people/people.js';
import { newAgentSchema, newChatSchema, newWorldSchema } from '../worlds/worlds.js';

/** Ids in paths and queries. All our ids are shorter than this limit. */
const id = z.string().min(1).max(200);

/** An opaque cursor. Take it from `next`, or use an item's id where that is documented. */
const cursor = z.string().min(1).max(500);
const MAX_ITEMS = 1000;
const limit = z.coerce.number().int().min(1).max(MAX_ITEMS);

/** A page of a list, read forwards (W4). */
export const listQuerySchema = z.strictObject({ after: cursor.exactOptional(), limit: limit.exactOptional() });
export type ListQuery = z.infer<typeof listQuerySchema>;

/** The end of a list: `before=end` returns the newest page. */
export const END_OF_LIST = 'end';

/** A page of a list that can also be read backwards. Items are oldest first in both directions. */
export const bothWaysQuerySchema = z
  .strictObject({
    after: cursor.exactOptional(),
    /** Returns the items right before this cursor; `end` for the newest. */
    before: cursor.exactOptional(),
    limit: limit.exactOptional(),
  })
  .refine(({ after, before }) => after === undefined || before === undefined, {
    message: 'send either after or before',
    path: ['before'],
  });
export type BothWaysQuery = z.infer<typeof bothWaysQuerySchema>;

export const memoryQuerySchema = listQuerySchema.extend({ chat: id });

/** Default `status`: pending. */
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

export const auditQuerySchema = listQuerySchema.extend({
  format: z.enum(['json', 'jsonl', 'csv']).default('json'),
  /** Only records of the person, agent or token with this id. */
  who: z.string().min(1).max(200).exactOptional(),
});

export const eventsQuerySchema = z.strictObject({
  /** The id of the last event that the client has. `Last-Event-ID` takes precedence. */
  after: z.coerce.number().int().min(0).exactOptional(),
});

/** A partial definition: an omitted field stays unchanged, and null removes an optional one. */
function partOf<S extends z.ZodRawShape>(shape: S): z.ZodObject {
  const parts = Object.entries(shape).map(([name, field]) => [name, asPart(field)] as const);
  return z.strictObject(Object.fromEntries(parts));
}

/** A default must not replace an omitted field: it would silently loosen a mode or drop an agent's rules. */
function asPart(field: z.core.$ZodType): z.ZodType {
  if (field instanceof z.ZodDefault) return asPart(field.unwrap());
  if (field instanceof z.ZodExactOptional) return z.nullable(field.unwrap()).exactOptional();
  return z.exactOptional(field);
}

const { policy: _, ...worldShape } = newWorldSchema.shape;
/** Needed to weaken a rule that requires a passkey, and to sign a call under one (A49). */
const confirmation = passkeyConfirmationSchema.exactOptional();
/** A trusted passkey, and what a rule `with passkey` protects, is only removed with a confirmation. */
export const removalSchema = z.strictObject({ confirmation });
/** Opens another device of the same person (W1.12). */
export const newDeviceLinkSchema = z.strictObject({ confirmation });
/** New credentials, which could outlive a stolen session (W8.15). */
export const newInvitationSchema = z.strictObject({ confirmation });
export const confirmedTokenSchema = newTokenSchema.extend({ confirmation });
export const confirmedExternalAgentSchema = newExternalAgentSchema.extend({ confirmation });
export const confirmedWorldSchema = newWorldSchema.extend({ confirmation });
export const worldChangeSchema = partOf(worldShape).extend({ confirmation });
const [program, remote] = newMcpServerSchema.options;
export const confirmedMcpServerSchema = z.discriminatedUnion('transport', [
  program.extend({ confirmation }),
  remote.extend({ confirmation }),
]);
export const confirmedMcpChangeSchema = mcpServerChangeSchema.extend({ confirmation });
export const confirmedAgentSchema = newAgentSchema.extend({ confirmation });
export const agentChangeSchema = partOf(newAgentSchema.shape).extend({ confirmation });
export const chatChangeSchema = z.strictObject({ title: newChatSchema.shape.title.unwrap() });
export type ChatChange = z.infer<typeof chatChangeSchema>;

const decisionBody = toolDecisionSchema.extend({
  agentId: id.exactOptional(),
  confirmation,
});
const answerBody = questionAnswerSchema.extend({ agentId: id.exactOptional() });

/** What can be sent about a call (W3): a decision, a client tool's result, or a person's answer to a question. */
export const newToolResultSchema = z.union([decisionBody, answerBody, clientToolResultSchema]);
export type NewToolResult = z.infer<typeof newToolResultSchema>;

/** Picks the schema that the body is meant for, so that the error refers to that schema and not to a union of three. */
export function toolResultSchemaFor(body: unknown): z.ZodType<NewToolResult> {
  if (typeof body !== 'object' || body === null || 'decision' in body) return decisionBody;
  return 'error' in body || ('content' in body && body.content === '') ? clientToolResultSchema : answerBody;
}

/** The outcome (W5). A refused decision is a problem document instead. */
export const toolResultReplySchema = z.object({
  /** `repeated`: the decision was already recorded, and nothing ran. */
  kind: z.enum(['recorded', 'repeated']),
  invocationId: z.string(),
  state: z.string(),
});
export type ToolResultReply = z.infer<typeof toolResultReplySchema>;

const { rules } = z.strictObject({ rules: newWorldSchema.shape.policy.unwrap() }).shape;
/** A warning for the author of a rule; the rule is stored anyway. */
export const ruleWarningSchema = z.object({
  /** Line numbers start at one and include comments and blank lines. */
  line: z.int().min(1),
  rule: z.string(),
  /**
   * `unknown-tool`: the world has no tool with this name now; `closest` is a similar one. `unreadable`: an older version stored a rule that no
   * longer parses, see `error`; as a deny or ask rule it matches every call to its tool, as an allow rule none. `star-outside`: it is for
   * commands of a program outside and doesn't spell one out, so it allows none of them (A26.6). `opens-network`: commands that use a
   * host it opens can't be rehearsed (A53.4).
   */
  code: z.enum(['unknown-tool', 'unreadable', 'star-outside', 'opens-network']),
  verb: z.enum(['allow', 'ask', 'deny']).exactOptional(),
  tool: z.string().exactOptional(),
  closest: z.string().exactOptional(),
  error: z.string().exactOptional(),
});
export type RuleWarning = z.infer<typeof ruleWarningSchema>;
/** A world's policy as shown to clients. */
export const shownPolicySchema = z.object({
  rules,
  /** Allow rules from an import. They have no effect until they are added to the policy (W3). */
  proposed: rules,
  warnings: z.array(ruleWarningSchema).exactOptional(),
});
export type ShownPolicy = z.infer<typeof shownPolicySchema>;
/** A new policy. `proposed`: the proposals to keep. Default: all that are not among the rules. */
export const newPolicySchema = z.strictObject({ rules, proposed: rules.exactOptional(), confirmation });
export type NewPolicy = z.infer<typeof newPolicySchema>;
