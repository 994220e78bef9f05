import { z } from 'zod';
import {
  api,
  field,
  text,
  agentId,
  approvalId,
  chatId,
  createdAt,
  messageId,
  toolCallId,
  toolName,
  turnId,
} from '../input/field.js';
import { listOf } from './common.js';
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

/** A page of messages. It includes all events up to `lastEventId`, so a stream can continue from there. */
export const messageListSchema = listOf(messageSchema).extend({
  lastEventId: field(
    z.number().int().min(0).exactOptional(),
    'Event id to resume from. An event stream that starts after it misses no event.',
  ),
});

const secretSchema = z.string().min(1).max(1000);

/** How a browser can sign in, besides links, tokens and passkeys. */
export const signInWaysSchema = z.object({
  oidc: field(
    z.object({ name: text('Name of the OIDC provider.') }).exactOptional(),
    'The OIDC provider, if there is one.',
  ),
});
export type SignInWays = z.infer<typeof signInWaysSchema>;

/** Open `url`, and send the `attempt` with the answer. */
export const oidcStartSchema = z.object({
  url: text('Page of the OIDC provider to open.'),
  attempt: text('Identifies the sign-in. Encrypted. Only the browser that started the sign-in has it.'),
});
export type OidcStart = z.infer<typeof oidcStartSchema>;

/** What the OIDC provider added to our URL, with the attempt that this browser started (WHO8). */
const oidcReturnSchema = z.strictObject({
  attempt: field(
    z.string().min(1).max(4000),
    'Identifies the sign-in. Encrypted. Only the browser that started the sign-in has it.',
  ),
  state: field(secretSchema.clone(), 'State in the answer of the provider.'),
  code: field(z.string().min(1).max(4000).exactOptional(), 'Authorization code. Absent if the sign-in was refused.'),
  iss: field(secretSchema.exactOptional(), 'The issuer in the answer of the provider, if it sends one.'),
  error: field(secretSchema.exactOptional(), 'Error code of the provider.'),
});
export type OidcReturn = z.infer<typeof oidcReturnSchema>;

/** How a browser signs in (WHO1): exactly one of these. */
export const newSessionSchema = z
  .strictObject({
    ticket: field(secretSchema.exactOptional(), 'Ticket of a start link. Works once, for a minute.'),
    invitation: field(secretSchema.exactOptional(), 'Code of an invitation link. Works once, for a week.'),
    token: field(secretSchema.exactOptional(), "A personal token, or the server's token."),
    passkey: field(assertionSchema.exactOptional(), 'A challenge of POST /session/challenge, signed with a passkey.'),
    oidc: field(oidcReturnSchema.exactOptional(), 'The answer of the OIDC provider.'),
    pairing: field(
      secretSchema.exactOptional(),
      'With the `ticket` of a link to another device: what this device got when it opened the link.',
    ),
  })
  .refine(
    ({ pairing, ...given }) => Object.keys(given).length === 1 && (pairing === undefined || given.ticket !== undefined),
    {
      message: 'send exactly one of ticket, invitation, token, passkey and oidc',
      path: ['ticket'],
    },
  );
export type NewSession = z.infer<typeof newSessionSchema>;
/** The part that the page stores and sends as `X-Countersign-Session`; the other part is the cookie. */
export const sessionSchema = z.object({ session: text('Send it as X-Countersign-Session, together with the cookie.') });
export type Session = z.infer<typeof sessionSchema>;
/** A link to another device was opened, and the device that made it must confirm the code. */
export const pairingSchema = z.object({
  pairing: text('Send it together with the ticket, again and again, until the answer is a session.'),
  code: text('Both devices show it, for people to compare.'),
});
export type Pairing = z.infer<typeof pairingSchema>;
export const enteredSchema = z.union([sessionSchema, pairingSchema]);

export const registeredClientSchema = z.object({
  clientId: text('Id of the client.'),
  clientSecret: text('Send it as X-Countersign-Client.'),
  tools: field(z.array(z.string()), 'Names assigned to its tools.'),
});
api.add(registeredClientSchema, { id: 'RegisteredClient' });
export type RegisteredClient = z.infer<typeof registeredClientSchema>;

export const acceptedMessageSchema = z.object({ messageId });
export type AcceptedMessage = z.infer<typeof acceptedMessageSchema>;

/** Why a rule for the call's tool did not apply. */
export const ruleMissSchema = z.object({
  rule: text('The rule.'),
  /**
   * `unnamed`: the allow rule neither names this argument nor ends with `*`. `not-spelt`: only the exact arguments could be allowed. `star`: the
   * rule's star doesn't match some of the words. `no-sandbox`: without a sandbox, rules with a star don't apply. `effect`: the rule is about
   * effects, and the call has another one. `effect-unknown`: the call wasn't rehearsed. `ended`: the rule has ended.
   */
  code: field(
    z.enum([
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
      'ended',
    ]),
    'Stable code for programs.',
  ),
  argument: text('Name of the argument that did not match.').exactOptional(),
  value: text('Value of the argument. Secrets are masked.').exactOptional(),
});
export type RuleMiss = z.infer<typeof ruleMissSchema>;
export const policyVerdictSchema = z.object({
  outcome: field(z.enum(['run', 'ask', 'refuse']), 'run, ask or refuse.'),
  reason: field(reasonSchema.clone(), 'Reason code with its details.'),
  why: text('The reason as a sentence.'),
  rule: text('The rule.').exactOptional(),
  proposedRule: text('The rule that "always" would add for this call, if a narrow one exists.').exactOptional(),
  notApplied: field(
    z.array(ruleMissSchema).exactOptional(),
    'Rules for this tool that did not apply, and why. At most 20.',
  ),
  effect: field(effectSchema.exactOptional(), 'If the call was rehearsed: what it would do.'),
  noEffect: noEffectSchema.exactOptional(),
});
api.add(policyVerdictSchema, { id: 'PolicyVerdict' });
/** What would happen to a call, and why. */
export type PolicyVerdict = z.infer<typeof policyVerdictSchema>;

/** What a rule would match in a chat (HTTP2 `policy/matches`). Several rules, one per line, are combined. */
export const policyMatchSchema = z
  .strictObject({
    chatId: field(z.string().min(1).max(200).exactOptional(), 'Id of the chat.'),
    rule: field(z.string().min(1).max(100_000).exactOptional(), 'One or more rules, one per line.'),
    grant: field(
      z
        .strictObject({
          agentId: field(z.string().min(1).max(200), 'Id of the agent.'),
          toolName: field(z.string().min(1).max(200), 'Name of the tool.'),
          pattern: field(
            z.string().min(1).max(2000).exactOptional(),
            'Argument pattern of a rule. Absent: any arguments.',
          ),
          folder: field(
            z.string().min(1).max(4096).exactOptional(),
            "The folder of the call, as in the approval's `session`. Default: the world's.",
          ),
        })
        .exactOptional(),
      'A grant for this chat instead of a rule for the world.',
    ),
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
  toolCallId,
  agentId,
  toolName,
  arguments: field(z.unknown(), 'Arguments of the call. Secrets are masked.'),
});
api.add(matchedCallSchema, { id: 'MatchedCall' });
export type MatchedCall = z.infer<typeof matchedCallSchema>;
/** A pending call that the rule or grant would cover (CALL5). */
export const coveredCallSchema = matchedCallSchema.extend({
  approvalId,
  chatId,
  preview: field(previewSchema.exactOptional(), 'What the call will do, as its own approval shows it.'),
  effect: effectSchema.exactOptional(),
  prediction: predictionSchema.exactOptional(),
  noEffect: noEffectSchema.exactOptional(),
});
api.add(coveredCallSchema, { id: 'CoveredCall' });
export type CoveredCall = z.infer<typeof coveredCallSchema>;
/** `items`: newest first. `more`: older ones exist. `waiting`: oldest first. */
export const matchedCallsSchema = z.object({
  items: field(z.array(matchedCallSchema), 'Items on this page.'),
  more: field(z.boolean(), 'True if there are older calls.'),
  waiting: field(z.array(coveredCallSchema), 'Waiting calls that would run immediately.'),
});
export type MatchedCalls = z.infer<typeof matchedCallsSchema>;

/** A tool as listed for people (HTTP2 `tools`). */
export const listedToolSchema = toolDefinitionSchema.extend({
  trusted: field(
    z.boolean(),
    'Whether its read-only declarations are trusted. Read-only tools of a trusted server run without approval.',
  ),
});
api.add(listedToolSchema, { id: 'ListedTool' });
export type ListedTool = z.infer<typeof listedToolSchema>;

/** Why an MCP server doesn't start, if a person can fix it: a restriction of its sandbox, or a missing sign-in. Screens supply the text. */
const mcpCauseSchema = z.discriminatedUnion('code', [
  /**
   * Its sandbox has no network. `runner`: its command downloads packages, such as `npx`. `hosts`: where it downloads them from; absent if
   * the sandbox can't be limited to hosts.
   */
  z.object({
    code: z.literal('no-network'),
    runner: text('Program that downloads packages, such as npx. Absent for other programs.').exactOptional(),
    hosts: field(
      z.array(z.string()).exactOptional(),
      "Hosts that it downloads packages from. Absent if the sandbox can't be limited to hosts.",
    ),
  }),
  /** The server tried to reach a host that is not in its list. `hosts`: the list with this host. */
  z.object({
    code: z.literal('unlisted-host'),
    host: text('Host that the server tried to reach.'),
    hosts: field(z.array(z.string()), "The server's hosts, with this one."),
  }),
  /** The server tried to reach an address that is not public. `rule` would allow it; if absent, no rule can. */
  z.object({
    code: z.literal('refused-host'),
    host: text('Host that the server tried to reach.'),
    address: text('IP address of the host.'),
    port: field(z.number().int().exactOptional(), 'Port of the connection. Absent if only the name was looked up.'),
    rule: text('Rule that would allow the connection. Absent if no rule can.').exactOptional(),
  }),
  /** A remote server requires a sign-in. `expired`: someone was signed in before. */
  z.object({ code: z.literal('sign-in'), expired: field(z.boolean(), 'Whether someone was signed in before.') }),
]);
export type McpCause = z.infer<typeof mcpCauseSchema>;

const mcpSignInStateSchema = z.object({
  state: field(
    z.enum(['signed-in', 'expired', 'signed-out']),
    'State of the sign-in. expired: a person must sign in again.',
  ),
  issuer: text('Issuer of the authorization server.').exactOptional(),
  pending: field(z.boolean(), 'Whether a person is signing in.'),
  error: text('Why the last attempt to sign in failed.').exactOptional(),
});

/** An MCP server as shown to clients. `env` and `headers` contain only names. */
export const mcpServerSchema = z.object({
  name: text('Name of the MCP server.'),
  transport: field(z.enum(['stdio', 'http']), 'stdio: a program. http: a URL.'),
  command: text('Program to run.').exactOptional(),
  args: field(z.array(z.string()).exactOptional(), 'Arguments of the command.'),
  env: field(
    z.array(z.string()).exactOptional(),
    'Environment variables of the program. Responses contain only their names.',
  ),
  network: field(
    mcpNetworkSchema.exactOptional(),
    'What the program can reach from its sandbox. true: all public hosts. An object: only its hosts. false: nothing.',
  ),
  folders: field(z.array(z.string()).exactOptional(), 'Folders outside the working folder that the program may read.'),
  url: text('URL of the server.').exactOptional(),
  headers: field(
    z.array(z.string()).exactOptional(),
    'HTTP headers sent to the server. Responses contain only their names.',
  ),
  trusted: field(
    z.boolean(),
    'Whether its read-only declarations are trusted. Read-only tools of a trusted server run without approval.',
  ),
  enabled: field(z.boolean(), 'Whether the server is enabled.'),
  status: field(z.enum(['off', 'idle', 'starting', 'running', 'failed']), 'Current status.'),
  error: text('What failed or was left out.').exactOptional(),
  cause: field(
    mcpCauseSchema.exactOptional(),
    'Why the server does not start: a restriction of its sandbox, or a missing sign-in.',
  ),
  signIn: field(
    mcpSignInStateSchema.exactOptional(),
    'OAuth sign-in to a remote server, without tokens. Absent if nobody has tried to sign in.',
  ),
  sandbox: text(
    "The sandbox that the program runs in. none: it runs with all permissions of the server's user.",
  ).exactOptional(),
  log: field(
    z.array(z.string()).exactOptional(),
    'The latest output, masked; after a failure, the output of the last failed attempt. Only present if a single server is requested.',
  ),
  tools: field(z.array(z.string()), 'Names of its tools.'),
  changed: field(
    z.array(
      z.object({
        tool: text('Name of the tool.'),
        difference: text('How the current definition differs from the accepted one.'),
      }),
    ),
    'Tool definitions that changed since a person accepted them. Grants for these tools are revoked.',
  ),
});
api.add(mcpServerSchema, { id: 'McpServer' });
export type McpServer = z.infer<typeof mcpServerSchema>;

export const searchHitSchema = z.object({
  chatId,
  chatTitle: text('Title of the chat.'),
  messageId,
  sender: text('Id of the agent, or name of the person.'),
  who: field(whoSchema.exactOptional(), 'The person who sent the message.'),
  createdAt,
  excerpt: text('The text around the first match; plain text, not markup.'),
});
api.add(searchHitSchema, { id: 'SearchHit' });
export type SearchHit = z.infer<typeof searchHitSchema>;

/** `person`: the id of a person. `approvals` and `waiting` then count only the calls that this person decided or signed. */
export const statsQuerySchema = z.strictObject({
  person: field(z.string().min(1).max(200).exactOptional(), 'Id of the person.'),
});

const distribution = z.object({
  count: field(z.number().int(), 'Number of occurrences.'),
  median: field(z.number(), 'Median, in milliseconds.'),
  p95: field(z.number(), '95th percentile, in milliseconds.'),
});
/** Statistics on all data stored for a world (HTTP2 `stats`). Times are in milliseconds. */
export const statsSchema = z.object({
  chats: field(z.number().int(), 'Number of chats.'),
  messages: field(z.number().int(), 'Number of messages.'),
  turns: field(z.record(z.string(), z.number().int()), 'Number of turns by outcome.'),
  tokens: field(
    z.array(
      z.object({
        agentId,
        inputTokens: field(z.number().int(), 'Tokens sent to the model.'),
        outputTokens: field(z.number().int(), 'Tokens generated by the model.'),
      }),
    ),
    'Tokens by agent.',
  ),
  tools: field(
    z.array(
      z.object({
        tool: text('Name of the tool.'),
        succeeded: field(z.number().int(), 'Calls that succeeded.'),
        failed: field(z.number().int(), 'Calls that failed.'),
        denied: field(z.number().int(), 'Calls that were denied.'),
        running: field(distribution.clone(), 'How long calls ran.'),
      }),
    ),
    'Calls by tool.',
  ),
  approvals: field(
    z.array(
      z.object({
        tool: text('Name of the tool.'),
        decision: field(approvalStatusSchema.clone(), 'What was decided.'),
        scope: text('How long the decision applies: once, session (this chat) or always.').exactOptional(),
        count: field(z.number().int(), 'Number of occurrences.'),
      }),
    ),
    'Approvals by tool and decision.',
  ),
  signers: field(
    z.array(
      z.object({
        who: whoSchema,
        approved: field(z.number().int(), 'Number of calls that they approved.'),
        denied: field(z.number().int(), 'Number of calls that they denied.'),
      }),
    ),
    'Who approved and denied calls, most active first. A call that needed several signatures counts for each signer.',
  ),
  waiting: field(distribution.clone(), 'How long calls waited for a decision.'),
  pendingApprovals: field(z.number().int(), 'Number of approvals waiting for a decision.'),
});
api.add(statsSchema, { id: 'Stats' });
export type Stats = z.infer<typeof statsSchema>;

export const costQuerySchema = z.strictObject({
  chat: field(z.string().min(1).max(200).exactOptional(), 'Id of a chat: only its tokens, of all days.'),
});

/** The tokens of one agent on one day (UTC), and what they cost as far as prices are known. */
export const costSchema = z.object({
  day: text('The day in UTC, such as 2027-01-31.'),
  agentId,
  inputTokens: field(z.number().int(), 'Tokens sent to the model.'),
  outputTokens: field(z.number().int(), 'Tokens generated by the model.'),
  microdollars: field(z.number().int(), 'What they cost, in millionths of a US dollar, as far as prices are known.'),
  unpricedTokens: field(z.number().int(), 'Tokens of turns without a known price, which the cost leaves out.'),
});
api.add(costSchema, { id: 'Cost' });
export type Cost = z.infer<typeof costSchema>;

/** One span of a turn's timeline: a model call, a tool, or waiting for a person. */
const spanSchema = z.object({
  kind: field(z.enum(['model', 'rehearsal', 'tool', 'waiting']), 'What took the time.'),
  label: text('Display name.'),
  startedAt: text('When it started.'),
  endedAt: text('When it ended. Absent while it is running.').exactOptional(),
  outcome: text('How it ended.').exactOptional(),
  who: field(whoSchema.exactOptional(), 'Who decided, if a person, an agent or a token did.'),
  signers: field(
    z
      .array(
        whoSchema.extend({
          for: field(
            principalSchema.exactOptional(),
            'The person for whom it was signed: they delegated their right to sign.',
          ),
        }),
      )
      .exactOptional(),
    'Everyone who signed, if several people had to, or if someone signed for someone else.',
  ),
});
export const timelineSchema = z.object({
  turnId,
  agentId,
  startedAt: text('When it started.'),
  endedAt: text('When it ended. Absent while it is running.').exactOptional(),
  inputTokens: field(z.number().int(), 'Tokens sent to the model.'),
  outputTokens: field(z.number().int(), 'Tokens generated by the model.'),
  microdollars: field(
    z.number().int().exactOptional(),
    'What they cost, in millionths of a US dollar. Absent if the price is not known.',
  ),
  spans: field(z.array(spanSchema), 'Model calls, tool calls and waits, in order.'),
});
api.add(timelineSchema, { id: 'Timeline' });
export type Timeline = z.infer<typeof timelineSchema>;
