import { ProviderError, type GenerateRequest, type SettingProblem } from '@countersign/core/ports';
import { modelSettings, type ModelSettings, type Thinking } from '@countersign/protocol';

export type CheckSettings = (model: string, settings: ModelSettings) => SettingProblem | undefined;

/** Adds the provider's default thinking to a model call, unless the agent sets its own. Titles need no thinking. */
export function withThinking(request: GenerateRequest, byDefault: Thinking | undefined): GenerateRequest {
  const { thinking = byDefault, ...rest } = request;
  return thinking === undefined || request.purpose === 'title' ? rest : { ...rest, thinking };
}

/** Rejects unsupported settings before the call: the agent may be older than its provider, or its model may have changed. */
export function refuseSettings(request: GenerateRequest, check: CheckSettings): void {
  const problem = check(request.model, modelSettings(request));
  if (problem !== undefined) throw new ProviderError('bad-request', problem.detail);
}

/** The token budget of each level, for models that take a number. */
export function thinkingTokens(thinking: Thinking): number {
  switch (thinking) {
    case 'off':
      return 0;
    case 'low':
      return 2_048;
    case 'medium':
      return 8_192;
    case 'high':
      return 24_576;
    default:
      return thinking;
  }
}

/** The level that matches a budget, for models that take only levels. */
export function thinkingLevel(thinking: Exclude<Thinking, 'off'>): 'low' | 'medium' | 'high' {
  if (typeof thinking !== 'number') return thinking;
  return thinking < 4_096 ? 'low' : thinking < 16_384 ? 'medium' : 'high';
}
