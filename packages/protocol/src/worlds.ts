import { z } from 'zod';
import { nameSchema } from './names.js';

const ruleText = z.string().min(1).max(2000);

/** What a person sets on a world (W3). Defaults are filled in by `worldSettingsSchema.parse({})`. */
export const worldSettingsSchema = z.strictObject({
  description: z.string().max(4000).exactOptional(),
  workingDirectory: z.string().min(1).max(4096).exactOptional(),
  mode: z.enum(['read', 'ask', 'auto']).default('ask'),
  /** The id of the agent that gets what addresses nobody (M2). */
  mainAgent: z.string().min(1).exactOptional(),
  turnLimit: z.number().int().min(1).max(1000).default(5),
  maxIterations: z.number().int().min(1).max(1000).default(10),
  maxParallelTools: z.number().int().min(1).max(64).default(4),
  streaming: z.boolean().default(true),
  /** Off unless set, since approvals are durable (A11). */
  approvalTimeoutMs: z.number().int().min(1).max(2_147_483_647).exactOptional(),
  unattended: z.enum(['wait', 'deny']).default('wait'),
});
export type WorldSettings = z.infer<typeof worldSettingsSchema>;
export type WorldMode = WorldSettings['mode'];

const rules = z.array(ruleText).max(10_000);

export const newWorldSchema = worldSettingsSchema.extend({ name: nameSchema, policy: rules.default([]) });
export type NewWorld = z.input<typeof newWorldSchema>;

export const newAgentSchema = z.strictObject({
  name: nameSchema,
  provider: z.string().min(1).max(100),
  model: z.string().min(1).max(200),
  systemPrompt: z.string().max(200_000).default(''),
  temperature: z.number().min(0).max(2).exactOptional(),
  maxTokens: z.number().int().min(1).exactOptional(),
  /** Names or globs of tools it may ask for. None unless said: no default gives power. */
  tools: z.array(z.string().min(1).max(128)).max(1000).default([]),
  /** The agent's own rules: they can only be stricter than the world's (A19). */
  policy: rules.default([]),
  active: z.boolean().default(true),
});
export type NewAgent = z.input<typeof newAgentSchema>;
export type AgentDefinition = z.infer<typeof newAgentSchema>;

/** A world's rules as they are written anew (W3). */
export const policySchema = z.strictObject({ rules });

/**
 * Part of a definition. `undefined` is refused: filled in with a default it would loosen a mode or drop an agent's rules, unasked.
 */
export const changeSchema = z.record(
  z.string(),
  z.unknown().refine((value) => value !== undefined, 'is undefined; leave it out to keep what it is'),
);

export interface World extends WorldSettings {
  id: string;
  name: string;
}
export interface Agent extends AgentDefinition {
  id: string;
}

export type ChatStatus = 'idle' | 'working' | 'waiting';
export interface Chat {
  id: string;
  title: string;
  status: ChatStatus;
  createdAt: string;
}

export const DEFAULT_CHAT_TITLE = 'New chat';
