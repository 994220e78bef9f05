import { z } from 'zod';
import { api, field, text, createdAt } from '../input/field.js';
import { nameSchema } from '../text/names.js';

/** A rule, or a comment or blank line between rules. */
const ruleText = z.string().max(2000);

/** A world's settings (HTTP2). `worldSettingsSchema.parse({})` fills in the defaults. */
export const worldSettingsSchema = z.strictObject({
  description: field(z.string().max(4000).exactOptional(), 'What the world is for.'),
  workingDirectory: field(
    z.string().min(1).max(4096).exactOptional(),
    'The folder that file tools and commands work in.',
  ),
  roots: field(
    z.array(z.string().min(1).max(4096)).max(50).exactOptional(),
    'Folders that a server admin gives to the admins of this world, to choose its folder from.',
  ),
  mode: field(
    z.enum(['read', 'ask', 'auto']).default('ask'),
    'read: only read-only tools run. ask: calls need approval unless a rule allows them or their tool does not require it. auto: no approval inside the sandbox and the working folder.',
  ),
  mainAgent: field(z.string().min(1).exactOptional(), 'The id of the agent that receives messages without a mention.'),
  turnLimit: field(
    z.number().int().min(1).max(1000).default(5),
    'Maximum number of turns per agent between messages from a person.',
  ),
  maxIterations: field(z.number().int().min(1).max(1000).default(10), 'Maximum number of model calls in one turn.'),
  maxParallelTools: field(
    z.number().int().min(1).max(64).default(4),
    'Maximum number of read-only calls that run in parallel.',
  ),
  streaming: field(z.boolean().default(true), 'Whether answers are streamed while the model writes them.'),
  /** Off by default, because approvals are durable (CALL11). */
  approvalTimeoutMs: field(
    z.number().int().min(1).max(2_147_483_647).exactOptional(),
    'Milliseconds until an approval expires. Absent: never.',
  ),
  unattended: field(
    z.enum(['wait', 'deny']).default('wait'),
    'What happens to calls that need approval while nobody is connected: wait or deny.',
  ),
  rehearse: field(
    z.enum(['on', 'off']).default('on'),
    'Whether calls that need approval are rehearsed first: on or off.',
  ),
});
/** A world's settings. */
export type WorldSettings = z.infer<typeof worldSettingsSchema>;
export type WorldMode = WorldSettings['mode'];

/** Reading more would block the server for everyone. */
export const rules = z.array(ruleText).max(2_000);

export const newWorldSchema = worldSettingsSchema.extend({
  name: field(nameSchema.clone(), 'Name of the world.'),
  policy: field(rules.default([]), 'Rules, one per line.'),
});
export type NewWorld = z.input<typeof newWorldSchema>;

/** A world's new rules (HTTP2). */
export const policySchema = z.strictObject({ rules });

/** A call to check against a world's rules (HTTP2 `policy/check`). */
export const policyCheckSchema = z.strictObject({
  agentId: field(z.string().min(1).exactOptional(), 'Id of the agent.'),
  tool: field(z.string().min(1).max(200), 'Name of the tool.'),
  arguments: field(z.record(z.string(), z.unknown()), 'Arguments of the call.'),
  rules: field(
    policySchema.shape.rules.exactOptional(),
    "Check against these rules instead of the world's, to try them out before saving. Nothing is stored.",
  ),
  rehearse: field(
    z.boolean().exactOptional(),
    'Rehearse the call in a draft first, unless a rule denies it, and judge its effect. The draft is deleted.',
  ),
});
/** A call to check against the rules. */
export type PolicyCheck = z.infer<typeof policyCheckSchema>;

/**
 * A partial definition. `undefined` is rejected: replacing it with a default would silently loosen a mode or drop an agent's rules.
 */
export const changeSchema = z.record(
  z.string(),
  z.unknown().refine((value) => value !== undefined, 'is undefined. Leave it out to keep the current value'),
);

/** `lastEventId`: the response includes all events up to this number, so a stream can continue from there. */
const shownAt = {
  lastEventId: field(
    z.number().int().min(0).exactOptional(),
    'Event id to resume from. An event stream that starts after it misses no event.',
  ),
};

export const worldSchema = z.object({
  ...worldSettingsSchema.shape,
  id: text('Id of the world.'),
  name: text('Name of the world.'),
  folder: text(
    "Where its calls run: `workingDirectory`, or the world's own folder. Absent if the program that serves the API decides it.",
  ).exactOptional(),
  ...shownAt,
});
api.add(worldSchema, { id: 'World' });
/** A world, with its settings. */
export type World = z.infer<typeof worldSchema>;

const chatStatusSchema = z.enum(['idle', 'working', 'waiting']);
/** `working`: something is running. `waiting`: only people can continue. `idle`: neither. */
export type ChatStatus = z.infer<typeof chatStatusSchema>;

const filedSchema = z.enum(['pinned', 'archived']);
/** Where lists show a chat: above the others, or apart from them. */
export type Filed = z.infer<typeof filedSchema>;

export const chatSchema = z.object({
  id: text('Id of the chat.'),
  title: text('Title of the chat.'),
  status: field(chatStatusSchema.clone(), 'Current status.'),
  branchOf: text('Id of the first chat of its branches, which may be itself. Absent without branches.').exactOptional(),
  filed: field(filedSchema.exactOptional(), 'Where lists show it: above the others, or apart from them.'),
  createdAt,
  ...shownAt,
});
api.add(chatSchema, { id: 'Chat' });
/** A chat, with its title and status. */
export type Chat = z.infer<typeof chatSchema>;

const chatTitle = z
  .string()
  .trim()
  .min(1, 'a title must not be empty')
  .max(200, 'a title can have at most 200 characters');
export const newChatSchema = z.strictObject({ title: field(chatTitle.exactOptional(), 'Title of the chat.') });
export type NewChat = z.infer<typeof newChatSchema>;

export const DEFAULT_CHAT_TITLE = 'New chat';
