import { passkeyConfirmationSchema } from '../people/passkeys.js';
import { z } from 'zod';
import { api, field, text } from '../input/field.js';
import { approvalFilterSchema } from '../calls/approvals.js';
import { clientToolResultSchema, questionAnswerSchema, toolDecisionSchema } from '../calls/decisions.js';
import { mcpServerChangeSchema, newMcpServerSchema } from '../connections/mcp-servers.js';
import { newExternalAgentSchema } from '../external/external.js';
import { deliveryStateSchema } from '../people/webhooks.js';
import { newTokenSchema } from '../people/people.js';
import { newAgentSchema } from '../worlds/agents.js';
import { chatSchema, newChatSchema, newWorldSchema } from '../worlds/worlds.js';

/** Ids in paths and queries. All our ids are shorter than this limit. */
const id = z.string().min(1).max(200);

/** An opaque cursor. Take it from `next`, or use an item's id where that is documented. */
const cursor = z.string().min(1).max(500);
const MAX_ITEMS = 1000;
const limit = z.coerce.number().int().min(1).max(MAX_ITEMS);

/** A page of a list, read forwards (HTTP13). */
export const listQuerySchema = z.strictObject({
  after: field(cursor.exactOptional(), 'Return items after this cursor (`next` of the previous page) or id.'),
  limit: field(limit.exactOptional(), 'Maximum number of items to return.'),
});
export type ListQuery = z.infer<typeof listQuerySchema>;

/** The end of a list: `before=end` returns the newest page. */
export const END_OF_LIST = 'end';

/** A page of a list that can also be read backwards. Items are oldest first in both directions. */
export const bothWaysQuerySchema = z
  .strictObject({
    after: field(cursor.exactOptional(), 'Return items after this cursor (`next` of the previous page) or id.'),
    before: field(cursor.exactOptional(), 'Returns the items right before this cursor; `end` for the newest.'),
    limit: field(limit.exactOptional(), 'Maximum number of items to return.'),
  })
  .refine(({ after, before }) => after === undefined || before === undefined, {
    message: 'send either after or before',
    path: ['before'],
  });
export type BothWaysQuery = z.infer<typeof bothWaysQuerySchema>;

export const memoryQuerySchema = listQuerySchema.extend({ chat: field(id.clone(), 'Id of the chat.') });

/** Default `status`: pending. */
export const approvalsQuerySchema = listQuerySchema.extend({
  status: field(approvalFilterSchema.shape.status, 'Only approvals with this status. Default: pending.'),
  chat: field(id.exactOptional(), 'Id of the chat.'),
});

export const webhookDeliveriesQuerySchema = listQuerySchema.extend({
  state: field(deliveryStateSchema.exactOptional(), 'Only deliveries in this state.'),
});

export const searchQuerySchema = listQuerySchema.extend({
  q: field(
    z
      .string()
      .max(500)
      .refine((text) => text.trim() !== '', 'must not be empty'),
    'Words to search for.',
  ),
});

export const auditQuerySchema = listQuerySchema.extend({
  format: field(z.enum(['json', 'jsonl', 'csv']).default('json'), 'json: one page. jsonl, csv: the whole log.'),
  who: field(z.string().min(1).max(200).exactOptional(), 'Only records of the person, agent or token with this id.'),
});

const exportFormatSchema = z.enum(['md', 'json']);
export type ExportFormat = z.infer<typeof exportFormatSchema>;

export const exportQuerySchema = z.strictObject({
  format: field(exportFormatSchema.default('md'), 'md: Markdown to read. json: the chat and its messages.'),
});

export const eventsQuerySchema = z.strictObject({
  after: field(
    z.coerce.number().int().min(0).exactOptional(),
    'The id of the last event that the client has. `Last-Event-ID` takes precedence.',
  ),
});

/** A partial definition: an omitted field stays unchanged, and null removes an optional one. */
function partOf<S extends z.ZodRawShape>(shape: S): z.ZodObject {
  const parts = Object.entries(shape).map(([name, part]) => {
    const { description } = api.get(part) ?? {};
    return [name, description === undefined ? asPart(part) : field(asPart(part), description)] as const;
  });
  return z.strictObject(Object.fromEntries(parts));
}

/** A default must not replace an omitted field: it would silently loosen a mode or drop an agent's rules. */
function asPart(part: z.core.$ZodType): z.ZodType {
  if (part instanceof z.ZodDefault) return asPart(part.unwrap());
  if (part instanceof z.ZodExactOptional) return z.nullable(part.unwrap()).exactOptional();
  return z.exactOptional(part);
}

const { policy: _, ...worldShape } = newWorldSchema.shape;
/** Needed to weaken a rule that requires a passkey, and to sign a call under one (SIGN2). */
const confirmation = field(passkeyConfirmationSchema.exactOptional(), 'A challenge that was signed with a passkey.');
/** A trusted passkey, and what a rule `with passkey` protects, is only removed with a confirmation. */
export const removalSchema = z.strictObject({ confirmation });
/** Opens another device of the same person (WHO2). */
export const newDeviceLinkSchema = z.strictObject({
  confirmation,
  scopes: field(
    newTokenSchema.shape.scopes.clone().exactOptional(),
    'What the other device may do at most. Default: what this session may do.',
  ),
});
/** New credentials, which could outlive a stolen session (WHO5.3). */
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
export const chatChangeSchema = z
  .strictObject({
    title: newChatSchema.shape.title,
    filed: field(
      chatSchema.shape.filed.unwrap().nullable().exactOptional(),
      'Where lists show it; null for the usual place.',
    ),
  })
  .refine((change) => Object.keys(change).length > 0, 'set title or filed');
export type ChatChange = z.infer<typeof chatChangeSchema>;

const decisionBody = toolDecisionSchema.extend({
  agentId: field(id.exactOptional(), 'Id of the agent.'),
  confirmation,
});
const answerBody = questionAnswerSchema.extend({ agentId: field(id.exactOptional(), 'Id of the agent.') });

/** What can be sent about a call (HTTP2): a decision, a client tool's result, or a person's answer to a question. */
export const newToolResultSchema = z.union([decisionBody, answerBody, clientToolResultSchema]);
export type NewToolResult = z.infer<typeof newToolResultSchema>;

/** Picks the schema that the body is meant for, so that the error refers to that schema and not to a union of three. */
export function toolResultSchemaFor(body: unknown): z.ZodType<NewToolResult> {
  if (typeof body !== 'object' || body === null || 'decision' in body) return decisionBody;
  return 'error' in body || ('content' in body && body.content === '') ? clientToolResultSchema : answerBody;
}

/** The outcome (HTTP14). A refused decision is a problem document instead. */
export const toolResultReplySchema = z.object({
  kind: field(
    z.enum(['recorded', 'repeated']),
    'recorded or repeated. repeated: the decision was already recorded, and nothing ran.',
  ),
  invocationId: text('Id of the call.'),
  state: text('Current state of the call.'),
});
api.add(toolResultReplySchema, { id: 'ToolResultReply' });
export type ToolResultReply = z.infer<typeof toolResultReplySchema>;

const { rules } = z.strictObject({ rules: newWorldSchema.shape.policy.unwrap() }).shape;
/** A warning for the author of a rule; the rule is stored anyway. */
export const ruleWarningSchema = z.object({
  line: field(z.int().min(1), 'Line numbers start at one and include comments and blank lines.'),
  rule: text('The rule.'),
  /**
   * `unknown-tool`: the world has no tool with this name now; `closest` is a similar one. `unreadable`: an older version stored a rule that no
   * longer parses, see `error`; as a deny or ask rule it matches every call to its tool, as an allow rule none. `star-outside`: it is for
   * commands of a program outside and doesn't spell one out, so it allows none of them (RULE5.6). `opens-network`: commands that use a
   * host it opens can't be rehearsed (CHANGE8.7). `ended`: its time is over, so it allows nothing (RULE11). `star-nothing`: its `*` covers no word (RULE6.1); `meant` is a rule that covers one.
   */
  code: field(
    z.enum(['unknown-tool', 'unreadable', 'star-outside', 'opens-network', 'ended', 'star-nothing']),
    'Stable code for programs.',
  ),
  verb: field(z.enum(['allow', 'ask', 'deny']).exactOptional(), 'allow, ask or deny.'),
  tool: text('Name of the tool.').exactOptional(),
  closest: text('The most similar tool name.').exactOptional(),
  meant: text('The rule that was probably meant, or one that allows something.').exactOptional(),
  error: text("Why the rule can't be parsed.").exactOptional(),
});
export type RuleWarning = z.infer<typeof ruleWarningSchema>;
/** A world's policy as shown to clients. */
export const shownPolicySchema = z.object({
  rules: field(rules.clone(), 'Rules, comments and blank lines, one per item.'),
  proposed: field(rules.clone(), 'Allow rules from an import that have no effect until a person accepts them.'),
  warnings: field(
    z.array(ruleWarningSchema).exactOptional(),
    "Rules that can't be parsed, have ended, or name an unknown tool.",
  ),
});
api.add(shownPolicySchema, { id: 'Policy' });
export type ShownPolicy = z.infer<typeof shownPolicySchema>;
/** A new policy. `proposed`: the proposals to keep. Default: all that are not among the rules. */
export const newPolicySchema = z.strictObject({
  rules: field(rules.clone(), 'Rules, comments and blank lines, one per item.'),
  proposed: field(rules.exactOptional(), 'Allow rules from an import that have no effect until a person accepts them.'),
  confirmation,
});
export type NewPolicy = z.infer<typeof newPolicySchema>;
