import { z } from 'zod';
import { assertionSchema } from '../people/receipts.js';
import { approvalStatusSchema } from '../calls/approvals.js';
import { previewSchema } from '../calls/call-sandbox.js';
import { effectSchema, noEffectSchema, predictionSchema } from '../calls/effect.js';
import { messageSchema } from '../calls/messages.js';
import { reasonSchema } from '../calls/reasons.js';
import { toolDefinitionSchema } from '../calls/tools.js';
import { mcpNetworkSchema } from '../connections/mcp-servers.js';
import { principalSchema } from '../people/delegations.js';
import { whoSchema } from '../people/who.js';

/** An error response (W2, RFC 9457). */
export const problemSchema = z.object({
  /** The kind of problem. `about:blank` means that only the status matters. */
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  /** One sentence that says what to do next. */
  detail: z.string(),
  /** The path of the invalid input field. */
  field: z.string().exactOptional(),
  /** The state of a call that couldn't be decided (W5). */
  state: z.string().exactOptional(),
});
export type Problem = z.infer<typeof problemSchema>;

/** The format of every list (W4). `next` is the cursor for `after` (or `before`, when reading backwards); absent at the end. */
export function listOf<T extends z.ZodType>(
  items: T,
): z.ZodObject<{ items: z.ZodArray<T>; next: z.ZodExactOptional<z.ZodString> }> {
  return z.object({ items: z.array(items), next: z.string().exactOptional() });
}

/** A page of messages. It includes all events up to `lastEventId`, so a stream can continue from there. */
export const messageListSchema = listOf(messageSchema).extend({ lastEventId: z.number().int().min(0).exactOptional() });

export const healthSchema = z.object({ status: z.literal('ok'), version: z.string() });
export type Health = z.infer<typeof healthSchema>;

/** A single-use start link that signs in one browser. It expires after a minute (W1). */
export const startLinkSchema = z.object({ ticket: z.string(), open: z.string(), expiresAt: z.string() });
export type StartLink = z.infer<typeof startLinkSchema>;

const secretSchema = z.string().min(1).max(1000);

/** How a browser can sign in, besides links, tokens and passkeys. */
export const signInWaysSchema = z.object({ oidc: z.object({ name: z.string() }).exactOptional() });
export type SignInWays = z.infer<typeof signInWaysSchema>;

/** Open `url`, and send the `attempt` with the answer. */
export const oidcStartSchema = z.object({ url: z.string(), attempt: z.string() });
export type OidcStart = z.infer<typeof oidcStartSchema>;

/** What the OIDC provider added to our URL, with the attempt that this browser started (W9). */
const oidcReturnSchema = z.strictObject({
  attempt: z.string().min(1).max(4000),
  state: secretSchema,
  code: z.string().min(1).max(4000).exactOptional(),
  iss: secretSchema.exactOptional(),
  error: secretSchema.exactOptional(),
});
export type OidcReturn = z.infer<typeof oidcReturnSchema>;

/** How a browser signs in (W1): exactly one of these. */
export const newSessionSchema = z
  .strictObject({
    /** From a start link. Works once, for a minute. */
    ticket: secretSchema.exactOptional(),
    /** From an invitation. Works once, for a week. */
    invitation: secretSchema.exactOptional(),
    /** A personal token, or the server's token. */
    token: secretSchema.exactOptional(),
    /** A challenge of `POST /session/challenge`, signed by a passkey. */
    passkey: assertionSchema.exactOptional(),
    /** The answer of the OIDC provider. */
    oidc: oidcReturnSchema.exactOptional(),
  })
  .refine((given) => Object.keys(given).length === 1, {
    message: 'send exactly one of ticket, invitation, token, passkey and oidc',
    path: ['ticket'],
  });
export type NewSession = z.infer<typeof newSessionSchema>;
/** The part that the page stores and sends as `X-Countersign-Session`; the other part is the cookie. */
export const sessionSchema = z.object({ session: z.string() });
export type Session = z.infer<typeof sessionSchema>;

export const registeredClientSchema = z.object({
  clientId: z.string(),
  clientSecret: z.string(),
  /** The names of the client's tools, as agents use them (A18). */
  tools: z.array(z.string()),
});
export type RegisteredClient = z.infer<typeof registeredClientSchema>;

export const acceptedMessageSchema = z.object({ messageId: z.string() });
export type AcceptedMessage = z.infer<typeof acceptedMessageSchema>;

/** Why a rule for the call's tool did not apply. */
export const ruleMissSchema = z.object({
  rule: z.string(),
  /**
   * `unnamed`: the allow rule neither names this argument nor ends with `*`. `not-spelt`: only the exact arguments could be allowed. `star`: the
   * rule's star doesn't match some of the words. `no-sandbox`: without a sandbox, rules with a star don't apply. `effect`: the rule is about
   * effects, and the call has another one. `effect-unknown`: the call wasn't rehearsed.
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
    'effect-unknown',
    'effect',
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
  /** The reason as a sentence. */
  why: z.string(),
  rule: z.string().exactOptional(),
  /** The rule that "always" would add for this call, if a narrow one exists. */
  proposedRule: z.string().exactOptional(),
  /** Rules for this tool that did not apply, and why; at most 20. */
  notApplied: z.array(ruleMissSchema).exactOptional(),
  /** If the call was rehearsed: what it would do, or why that is unknown. */
  effect: effectSchema.exactOptional(),
  noEffect: noEffectSchema.exactOptional(),
});
/** What would happen to a call, and why. */
export type PolicyVerdict = z.infer<typeof policyVerdictSchema>;

/** What a rule would match in a chat (W3 `policy/matches`). Several rules, one per line, are combined. */
export const policyMatchSchema = z
  .strictObject({
    chatId: z.string().min(1).max(200).exactOptional(),
    /** One or more rules, one per line. */
    rule: z.string().min(1).max(100_000).exactOptional(),
    /** A grant for this chat instead of a rule for the world. */
    grant: z
      .strictObject({
        agentId: z.string().min(1).max(200),
        toolName: z.string().min(1).max(200),
        pattern: z.string().min(1).max(2000).exactOptional(),
        folder: z.string().min(1).max(4096).exactOptional(),
      })
      .exactOptional(),
  })
  .refine(({ rule, grant }) => (rule === undefined) !== (grant === undefined), {
    path: ['rule'],
    message: 'send a rule or a grant',
  })
  .refine(({ chatId, grant }) => grant === undefined || chatId !== undefined, {
    path: ['chatId'],
    message: 'a grant needs a chatId',
  });
export type PolicyMatch = z.infer<typeof policyMatchSchema>;
/** An earlier call in the chat that the rule matches. Arguments are masked. */
export const matchedCallSchema = z.object({
  toolCallId: z.string(),
  agentId: z.string(),
  toolName: z.string(),
  arguments: z.unknown(),
});
export type MatchedCall = z.infer<typeof matchedCallSchema>;
/** A pending call that the rule or grant would cover (A5). */
export const coveredCallSchema = matchedCallSchema.extend({
  approvalId: z.string(),
  chatId: z.string(),
  /** What the call will do, as its own approval shows it. */
  preview: previewSchema.exactOptional(),
  effect: effectSchema.exactOptional(),
  prediction: predictionSchema.exactOptional(),
  noEffect: noEffectSchema.exactOptional(),
});
export type CoveredCall = z.infer<typeof coveredCallSchema>;
/** `items`: newest first. `more`: older ones exist. `waiting`: oldest first. */
export const matchedCallsSchema = z.object({
  items: z.array(matchedCallSchema),
  more: z.boolean(),
  waiting: z.array(coveredCallSchema),
});
export type MatchedCalls = z.infer<typeof matchedCallsSchema>;

/** A tool as listed for people (W3 `tools`). */
export const listedToolSchema = toolDefinitionSchema.extend({ trusted: z.boolean() });
export type ListedTool = z.infer<typeof listedToolSchema>;

/** Why an MCP server doesn't start, if a person can fix it: a restriction of its sandbox, or a missing sign-in. Screens supply the text. */
const mcpCauseSchema = z.discriminatedUnion('code', [
  /**
   * Its sandbox has no network. `runner`: its command downloads packages, such as `npx`. `hosts`: where it downloads them from; absent if
   * the sandbox can't be limited to hosts.
   */
  z.object({
    code: z.literal('no-network'),
    runner: z.string().exactOptional(),
    hosts: z.array(z.string()).exactOptional(),
  }),
  /** The server tried to reach a host that is not in its list. `hosts`: the list with this host. */
  z.object({ code: z.literal('unlisted-host'), host: z.string(), hosts: z.array(z.string()) }),
  /** The server tried to reach an address that is not public. `rule` would allow it; if absent, no rule can. */
  z.object({
    code: z.literal('refused-host'),
    host: z.string(),
    address: z.string(),
    /** Undefined if only a DNS lookup was attempted. */
    port: z.number().int().exactOptional(),
    rule: z.string().exactOptional(),
  }),
  /** A remote server requires a sign-in. `expired`: someone was signed in before. */
  z.object({ code: z.literal('sign-in'), expired: z.boolean() }),
]);
export type McpCause = z.infer<typeof mcpCauseSchema>;

const mcpSignInStateSchema = z.object({
  state: z.enum(['signed-in', 'expired', 'signed-out']),
  /** The URL that identifies the authorization server. */
  issuer: z.string().exactOptional(),
  /** Whether a person is signing in. */
  pending: z.boolean(),
  /** Why the last attempt to sign in failed. */
  error: z.string().exactOptional(),
});

/** An MCP server as shown to clients. `env` and `headers` contain only names. */
export const mcpServerSchema = z.object({
  name: z.string(),
  transport: z.enum(['stdio', 'http']),
  command: z.string().exactOptional(),
  args: z.array(z.string()).exactOptional(),
  /** Names only. */
  env: z.array(z.string()).exactOptional(),
  network: mcpNetworkSchema.exactOptional(),
  folders: z.array(z.string()).exactOptional(),
  url: z.string().exactOptional(),
  /** Names only. */
  headers: z.array(z.string()).exactOptional(),
  trusted: z.boolean(),
  enabled: z.boolean(),
  status: z.enum(['off', 'idle', 'starting', 'running', 'failed']),
  /** What failed or was left out. */
  error: z.string().exactOptional(),
  cause: mcpCauseSchema.exactOptional(),
  /** The OAuth sign-in to a remote server, without tokens. Absent if nobody has tried to sign in. */
  signIn: mcpSignInStateSchema.exactOptional(),
  /** The server's sandbox; `none` means that it has all of your permissions. */
  sandbox: z.string().exactOptional(),
  /** The latest output, masked; after a failure, the output of the last failed attempt. Only present if a single server is requested. */
  log: z.array(z.string()).exactOptional(),
  tools: z.array(z.string()),
  /** Tool definitions that changed since a person accepted them. Grants for these tools are revoked. */
  changed: z.array(z.object({ tool: z.string(), difference: z.string() })),
});
export type McpServer = z.infer<typeof mcpServerSchema>;

export const searchHitSchema = z.object({
  chatId: z.string(),
  chatTitle: z.string(),
  messageId: z.string(),
  sender: z.string(),
  /** The person who sent the message. */
  who: whoSchema.exactOptional(),
  createdAt: z.string(),
  /** The text around the first match; plain text, not markup. */
  excerpt: z.string(),
});
export type SearchHit = z.infer<typeof searchHitSchema>;

/** `person`: the id of a person. `approvals` and `waiting` then count only the calls that this person decided or signed. */
export const statsQuerySchema = z.strictObject({ person: z.string().min(1).max(200).exactOptional() });

const distribution = z.object({ count: z.number().int(), median: z.number(), p95: z.number() });
/** Statistics on all data stored for a world (W3 `stats`). Times are in milliseconds. */
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
  /** Who approved and denied calls, most active first. */
  signers: z.array(z.object({ who: whoSchema, approved: z.number().int(), denied: z.number().int() })),
  /** From the request to the decision. */
  waiting: distribution,
  pendingApprovals: z.number().int(),
});
export type Stats = z.infer<typeof statsSchema>;

/** One span of a turn's timeline: a model call, a tool, or waiting for a person. */
const spanSchema = z.object({
  kind: z.enum(['model', 'rehearsal', 'tool', 'waiting']),
  label: z.string(),
  startedAt: z.string(),
  endedAt: z.string().exactOptional(),
  outcome: z.string().exactOptional(),
  /** Who decided, if a person, an agent or a token did. */
  who: whoSchema.exactOptional(),
  /** Everyone who signed, if several people had to, or if someone signed for someone else (A51). */
  signers: z.array(whoSchema.extend({ for: principalSchema.exactOptional() })).exactOptional(),
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
