import { z } from 'zod';
import { acpSchema } from '../external/acp.js';
import { api, field, text } from '../input/field.js';
import { nameSchema } from '../text/names.js';
import { modelSettingsSchema } from './model-settings.js';
import { rules } from './worlds.js';

export const newAgentSchema = z.strictObject({
  name: field(nameSchema.clone(), 'Name of the agent.'),
  provider: field(z.string().min(1).max(100), 'Id of the provider.'),
  model: field(z.string().min(1).max(200), 'Name of the model.'),
  systemPrompt: field(z.string().max(200_000).default(''), 'Instructions for the model.'),
  ...modelSettingsSchema.shape,
  tools: field(
    z.array(z.string().min(1).max(128)).max(1000).default([]),
    'Names or globs of tools that the agent may request. Empty by default: no default grants permissions.',
  ),
  policy: field(rules.default([]), "The agent's own rules. They can only be stricter than the world's."),
  active: field(z.boolean().default(true), 'Whether the agent takes part in chats.'),
  acp: field(acpSchema.exactOptional(), 'For the provider `acp`, and only for it: the program that is the agent.'),
});
/** An agent to add. */
export type NewAgent = z.input<typeof newAgentSchema>;
export type AgentDefinition = z.infer<typeof newAgentSchema>;

/** Accepts any stored name: one that became reserved later must still be readable. */
export const agentSchema = z.object({
  ...newAgentSchema.shape,
  id: text('Id of the agent.'),
  name: text('Name of the agent.'),
});
api.add(agentSchema, { id: 'Agent' });
/** An agent in a world, with its id. */
export type Agent = z.infer<typeof agentSchema>;

/** `unknownModel`: the provider's list doesn't contain the model, with the most similar one (MODEL9.2). The agent was saved anyway. */
export const savedAgentSchema = z.object({
  ...agentSchema.shape,
  unknownModel: field(
    z.object({ closest: text('The most similar model that the provider lists.').exactOptional() }).exactOptional(),
    "Present if the provider's list doesn't contain the model. The agent was saved anyway.",
  ),
});
api.add(savedAgentSchema, { id: 'SavedAgent' });
/** An agent that was just added or changed. */
export type SavedAgent = z.infer<typeof savedAgentSchema>;
