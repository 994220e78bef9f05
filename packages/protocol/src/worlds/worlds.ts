import { z } from 'zod';
import { acpSchema } from '../external/acp.js';
import { modelSettingsSchema } from './model-settings.js';
import { nameSchema } from '../text/names.js';

/** A rule, or a comment or blank line between rules. */
const ruleText = z.string().max(2000);

/** A world's settings (W3). `worldSettingsSchema.parse({})` fills in the defaults. */
export const worldSettingsSchema = z.strictObject({
  description: z.string().max(4000).exactOptional(),
  workingDirectory: z.string().min(1).max(4096).exactOptional(),
  /** Folders that a server admin gives to the admins of this world, to choose its folder from (A21.8). */
  roots: z.array(z.string().min(1).max(4096)).max(50).exactOptional(),
  mode: z.enum(['read', 'ask', 'auto']).default('ask'),
  /** The id of the agent that receives messages without a mention (M2). */
  mainAgent: z.string().min(1).exactOptional(),
  turnLimit: z.number().int().min(1).max(1000).default(5),
  maxIterations: z.number().int().min(1).max(1000).default(10),
  maxParallelTools: z.number().int().min(1).max(64).default(4),
  streaming: z.boolean().default(true),
  /** Off by default, because approvals are durable (A11). */
  approvalTimeoutMs: z.number().int().min(1).max(2_147_483_647).exactOptional(),
  unattended: z.enum(['wait', 'deny']).default('wait'),
  /** Whether calls that need approval are rehearsed first, to show what they will do (A52). */
  rehearse: z.enum(['on', 'off']).default('on'),
});
/** A world's settings. */
export type WorldSettings = z.infer<typeof worldSettingsSchema>;
export type WorldMode = WorldSettings['mode'];

/** Reading more would block the server for everyone. */
const rules = z.array(ruleText).max(2_000);

export const newWorldSchema = worldSettingsSchema.extend({ name: nameSchema, policy: rules.default([]) });
export type NewWorld = z.input<typeof newWorldSchema>;

export const newAgentSchema = z.strictObject({
  name: nameSchema,
  provider: z.string().min(1).max(100),
  model: z.string().min(1).max(200),
  systemPrompt: z.string().max(200_000).default(''),
  ...modelSettingsSchema.shape,
  /** Names or globs of tools that the agent may request. Empty by default: no default grants permissions. */
  tools: z.array(z.string().min(1).max(128)).max(1000).default([]),
  /** The agent's own rules. They can only be stricter than the world's (A19). */
  policy: rules.default([]),
  active: z.boolean().default(true),
  /** For the provider `acp`, and only for it: the program that is the agent (A59). */
  acp: acpSchema.exactOptional(),
});
/** An agent to add. */
export type NewAgent = z.input<typeof newAgentSchema>;
export type AgentDefinition = z.infer<typeof newAgentSchema>;

/** A world's new rules (W3). */
export const policySchema = z.strictObject({ rules });

/** A call to check against a world's rules (W3 `policy/check`). */
export const policyCheckSchema = z.strictObject({
  agentId: z.string().min(1).exactOptional(),
  tool: z.string().min(1).max(200),
  arguments: z.record(z.string(), z.unknown()),
  /** Check against these rules instead of the world's, to try them out before saving. Nothing is stored. */
  rules: policySchema.shape.rules.exactOptional(),
  /** Rehearse the call in a draft first, unless a rule denies it, and judge its effect. The draft is deleted. */
  rehearse: z.boolean().exactOptional(),
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
const shownAt = { lastEventId: z.number().int().min(0).exactOptional() };

export const worldSchema = z.object({
  ...worldSettingsSchema.shape,
  id: z.string(),
  name: z.string(),
  /** Where its calls run: `workingDirectory`, or the world's own folder. Absent if the program that serves the API decides it. */
  folder: z.string().exactOptional(),
  ...shownAt,
});
/** A world, with its settings. */
export type World = z.infer<typeof worldSchema>;

/** Accepts any stored name: one that became reserved later must still be readable. */
export const agentSchema = z.object({ ...newAgentSchema.shape, id: z.string(), name: z.string() });
/** An agent in a world, with its id. */
export type Agent = z.infer<typeof agentSchema>;

/** `unknownModel`: the provider's list doesn't contain the model, with the most similar one (P9.2). The agent was saved anyway. */
export const savedAgentSchema = z.object({
  ...agentSchema.shape,
  unknownModel: z.object({ closest: z.string().exactOptional() }).exactOptional(),
});
/** An agent that was just added or changed. */
export type SavedAgent = z.infer<typeof savedAgentSchema>;

const chatStatusSchema = z.enum(['idle', 'working', 'waiting']);
/** `working`: something is running. `waiting`: only people can continue. `idle`: neither. */
export type ChatStatus = z.infer<typeof chatStatusSchema>;

export const chatSchema = z.object({
  id: z.string(),
  title: z.string(),
  status: chatStatusSchema,
  createdAt: z.string(),
  ...shownAt,
});
/** A chat, with its title and status. */
export type Chat = z.infer<typeof chatSchema>;

const chatTitle = z
  .string()
  .trim()
  .min(1, 'a title must not be empty')
  .max(200, 'a title can have at most 200 characters');
export const newChatSchema = z.strictObject({ title: chatTitle.exactOptional() });
export type NewChat = z.infer<typeof newChatSchema>;

export const DEFAULT_CHAT_TITLE = 'New chat';
