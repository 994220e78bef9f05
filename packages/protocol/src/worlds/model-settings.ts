import { z } from 'zod';
import { field } from '../input/field.js';

const THINKING_LEVELS = ['off', 'low', 'medium', 'high'] as const;
const THINKING = 'must be off, low, medium or high, or a token budget from 128 to 200000';

/** How much the model thinks before it answers: a level, or a number of tokens for models that take one. */
const thinkingSchema = z.union([z.enum(THINKING_LEVELS), z.number().int().min(128).max(200_000)], {
  error: THINKING,
});
export type Thinking = z.infer<typeof thinkingSchema>;

/** How an agent's model is called. If a setting is absent, the model's own default applies. */
export const modelSettingsSchema = z.strictObject({
  temperature: field(z.number().min(0).max(2).exactOptional(), 'Sampling temperature (0–2).'),
  topP: field(z.number().min(0).max(1).exactOptional(), 'Nucleus sampling (0–1).'),
  maxTokens: field(z.number().int().min(1).exactOptional(), 'Maximum number of tokens in one model response.'),
  contextTokens: field(z.number().int().min(1000).max(100_000_000).exactOptional(), 'Context size in tokens.'),
  thinking: field(
    thinkingSchema.exactOptional(),
    'How much the model thinks before it answers: off, low, medium, high, or a number of tokens.',
  ),
  parallelToolCalls: field(z.boolean().exactOptional(), 'Whether the model may make several tool calls in one answer.'),
});
export type ModelSettings = z.infer<typeof modelSettingsSchema>;

/** The model settings that the agent sets. */
export function modelSettings(agent: ModelSettings): ModelSettings {
  const { temperature, topP, maxTokens, contextTokens, thinking, parallelToolCalls } = agent;
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(contextTokens === undefined ? {} : { contextTokens }),
    ...(thinking === undefined ? {} : { thinking }),
    ...(parallelToolCalls === undefined ? {} : { parallelToolCalls }),
  };
}
