import { z } from 'zod';
import { approvalStatusSchema } from './approvals.js';
import { messageSchema } from './messages.js';
import { reasonSchema } from './reasons.js';
import { toolDefinitionSchema } from './tools.js';

/** What a server says that did not do what it was asked (W2, RFC 9457). */
export const problemSchema = z.object({
  /** Names the kind of problem; `about:blank` says no more than the status. */
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  /** One sentence that says what to do next. */
  detail: z.string(),
  /** The field of the input that is wrong, as a path. */
  field: z.string().exactOptional(),
  /** How a call stands that could not be decided (W5). */
  state: z.string().exactOptional(),
});
export type Problem = z.infer<typeof problemSchema>;

/** Every list (W4). `next` is what to give as `after` (or as `before`, when reading backwards) to go on; absent at the end. */
export function listOf<T extends z.ZodType>(
  items: T,
): z.ZodObject<{ items: z.ZodArray<T>; next: z.ZodExactOptional<z.ZodString> }> {
  return z.object({ items: z.array(items), next: z.string().exactOptional() });
}

/** A page of messages. `lastEventId` is the number in the event log up to which it is true: a stream goes on from there. */
export const messageListSchema = listOf(messageSchema).extend({ lastEventId: z.number().int().min(0).exactOptional() });

export const healthSchema = z.object({ status: z.literal('ok'), version: z.string() });
export type Health = z.infer<typeof healthSchema>;

/** A start link: opened in a browser, it signs in once, for a minute (W1). */
export const startLinkSchema = z.object({ ticket: z.string(), open: z.string(), expiresAt: z.string() });
export type StartLink = z.infer<typeof startLinkSchema>;

/** A ticket is good once, for a minute (W1). */
export const newSessionSchema = z.strictObject({ ticket: z.string().min(1).max(200) });
/** The half that the page keeps and sends as `X-Countersign-Session`; the other half is the cookie. */
export const sessionSchema = z.object({ session: z.string() });
export type Session = z.infer<typeof sessionSchema>;

export const SESSION_HEADER = 'X-Countersign-Session';
export const CLIENT_HEADER = 'X-Countersign-Client';
/** On an answer: this server is going, and has not looked at the request. It can be sent to the next one without harm. */
export const LEAVING_HEADER = 'X-Countersign-Leaving';

export const providerStatusSchema = z.object({
  name: z.string(),
  /** True when it is configured: it has a key, or needs none. Only Ollama was asked whether it answers. */
  available: z.boolean(),
  /** Where its key was found, such as the name of a variable. Never the key. */
  source: z.string().exactOptional(),
  /** Where its requests go if a variable such as `OPENAI_BASE_URL` says so. Absent: to the vendor. */
  address: z.string().exactOptional(),
  /** Why it can't be used, other than that it has no key. */
  problem: z.string().exactOptional(),
  models: z.array(z.string()).exactOptional(),
});
export type ProviderStatus = z.infer<typeof providerStatusSchema>;

export const registeredClientSchema = z.object({
  clientId: z.string(),
  clientSecret: z.string(),
  /** The names its tools got (A18). */
  tools: z.array(z.string()),
});
export type RegisteredClient = z.infer<typeof registeredClientSchema>;

export const acceptedMessageSchema = z.object({ messageId: z.string() });
export type AcceptedMessage = z.infer<typeof acceptedMessageSchema>;

/** Why a rule for the tool of a call did not apply. */
export const ruleMissSchema = z.object({
  rule: z.string(),
  /**
   * `missing`: the call does not have this argument. `different`: its value does not match. `not-a-number`: an allow rule compares it
   * with a number, but the value isn't one. `unnamed`: the call has this argument, and the allow rule neither names it nor ends with `*`.
   * `not-spelt`: an allow rule covers what this call touches only by its exact arguments. `dynamic`: what the call does is only known
   * when it runs. `star`: the star of the rule doesn't stand for some of the words. `no-sandbox`: without a sandbox a rule with a star doesn't
   * count. `pattern`: the pattern does not match what the call touches.
   */
  code: z.enum([
    'missing',
    'different',
    'not-a-number',
    'unnamed',
    'not-spelt',
    'dynamic',
    'star',
    'no-sandbox',
    'pattern',
  ]),
  argument: z.string().exactOptional(),
  /** The value of the argument, masked and truncated. */
  value: z.string().exactOptional(),
});
export type RuleMiss = z.infer<typeof ruleMissSchema>;
export const policyVerdictSchema = z.object({
  outcome: z.enum(['run', 'ask', 'refuse']),
  reason: reasonSchema,
  /** The same as a sentence. */
  why: z.string(),
  rule: z.string().exactOptional(),
  /** The rule that "always" would write for this call, if there is a narrow one. */
  proposedRule: z.string().exactOptional(),
  /** Rules for this tool that did not apply, and why; at most 20. */
  notApplied: z.array(ruleMissSchema).exactOptional(),
});
export type PolicyVerdict = z.infer<typeof policyVerdictSchema>;

/** What a rule would have been about in a chat (W3 `policy/matches`). Several rules, one a line, count together. */
export const policyMatchSchema = z
  .strictObject({
    chatId: z.string().min(1).max(200).exactOptional(),
    /** One or several, one a line. */
    rule: z.string().min(1).max(100_000).exactOptional(),
    /** A grant for this chat instead of a rule for the world. */
    grant: z
      .strictObject({
        agentId: z.string().min(1).max(200),
        toolName: z.string().min(1).max(200),
        pattern: z.string().min(1).max(2000).exactOptional(),
      })
      .exactOptional(),
  })
  .refine(({ rule, grant }) => (rule === undefined) !== (grant === undefined), {
    path: ['rule'],
    message: 'send a rule or a grant',
  })
  .refine(({ chatId, grant }) => grant === undefined || chatId !== undefined, {
    path: ['chatId'],
    message: 'a grant needs its chat',
  });
export type PolicyMatch = z.infer<typeof policyMatchSchema>;
/** An earlier call of the chat that the rule fits; its arguments are masked. */
export const matchedCallSchema = z.object({
  toolCallId: z.string(),
  agentId: z.string(),
  toolName: z.string(),
  arguments: z.unknown(),
});
export type MatchedCall = z.infer<typeof matchedCallSchema>;
/** A call that waits for a decision and would run with the rule or grant (A5). */
export const coveredCallSchema = matchedCallSchema.extend({ approvalId: z.string(), chatId: z.string() });
export type CoveredCall = z.infer<typeof coveredCallSchema>;
/** `items` newest first; `more`: there are others further back. `waiting` oldest first. */
export const matchedCallsSchema = z.object({
  items: z.array(matchedCallSchema),
  more: z.boolean(),
  waiting: z.array(coveredCallSchema),
});
export type MatchedCalls = z.infer<typeof matchedCallsSchema>;

/** A tool as a person picks it (W3 `tools`). */
export const listedToolSchema = toolDefinitionSchema.extend({ trusted: z.boolean() });
export type ListedTool = z.infer<typeof listedToolSchema>;

/** An MCP server as it is shown. Of `env` and `headers` only the names. */
export const mcpServerSchema = z.object({
  name: z.string(),
  transport: z.enum(['stdio', 'http']),
  command: z.string().exactOptional(),
  args: z.array(z.string()).exactOptional(),
  /** Names only. */
  env: z.array(z.string()).exactOptional(),
  network: z.boolean().exactOptional(),
  url: z.string().exactOptional(),
  /** Names only. */
  headers: z.array(z.string()).exactOptional(),
  trusted: z.boolean(),
  enabled: z.boolean(),
  status: z.enum(['off', 'idle', 'starting', 'running', 'failed']),
  /** What went wrong, or was left out. */
  error: z.string().exactOptional(),
  /** The sandbox it runs in; `none` means with all of your permissions. */
  sandbox: z.string().exactOptional(),
  /** The last things it said, masked. Only where one server is shown. */
  log: z.array(z.string()).exactOptional(),
  tools: z.array(z.string()),
  /** Definitions that changed since a person last accepted them: their grants have lapsed. */
  changed: z.array(z.object({ tool: z.string(), difference: z.string() })),
});
export type McpServer = z.infer<typeof mcpServerSchema>;

export const searchHitSchema = z.object({
  chatId: z.string(),
  chatTitle: z.string(),
  messageId: z.string(),
  sender: z.string(),
  createdAt: z.string(),
  /** The words around the first match; nothing in it is markup. */
  excerpt: z.string(),
});
export type SearchHit = z.infer<typeof searchHitSchema>;

const distribution = z.object({ count: z.number().int(), median: z.number(), p95: z.number() });
/** Counts of one world, over all that is kept (W3 `stats`). Times in milliseconds. */
export const statsSchema = z.object({
  chats: z.number().int(),
  messages: z.number().int(),
  turns: z.record(z.string(), z.number().int()),
  tokens: z.array(z.object({ agentId: z.string(), inputTokens: z.number().int(), outputTokens: z.number().int() })),
  tools: z.array(
    z.object({
      tool: z.string(),
      succeeded: z.number().int(),
      failed: z.number().int(),
      denied: z.number().int(),
      running: distribution,
    }),
  ),
  approvals: z.array(
    z.object({
      tool: z.string(),
      decision: approvalStatusSchema,
      scope: z.string().exactOptional(),
      count: z.number().int(),
    }),
  ),
  /** From the question to its answer. */
  waiting: distribution,
  pendingApprovals: z.number().int(),
});
export type Stats = z.infer<typeof statsSchema>;

/** One bar of a turn's picture: a model call, a tool, or waiting for a person. */
const spanSchema = z.object({
  kind: z.enum(['model', 'tool', 'waiting']),
  label: z.string(),
  startedAt: z.string(),
  endedAt: z.string().exactOptional(),
  outcome: z.string().exactOptional(),
});
export const timelineSchema = z.object({
  turnId: z.string(),
  agentId: z.string(),
  startedAt: z.string(),
  endedAt: z.string().exactOptional(),
  inputTokens: z.number().int(),
  outputTokens: z.number().int(),
  spans: z.array(spanSchema),
});
export type Timeline = z.infer<typeof timelineSchema>;
