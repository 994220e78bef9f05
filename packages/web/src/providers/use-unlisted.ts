import { unlistedModel, type ProviderStatus } from '@countersign/protocol';
import { useState } from 'react';
import { providerWords } from '../words/providers.js';
import type { Models } from './use-models.js';

/** A new object for each warning. */
export interface ModelWarning {
  readonly words: string;
  /** The most similar model. */
  readonly closest?: string | undefined;
}

/** Warns before a model that the provider doesn't list is saved (MODEL9.2). `saved`: the agent's current model. */
export function useUnlisted(
  provider: ProviderStatus | undefined,
  models: Models,
  model: string,
  saved?: string,
): {
  warning: ModelWarning | undefined;
  /** Shows the warning and returns true if the model is not listed. */
  stops: () => boolean;
} {
  const [warned, setWarned] = useState<{ model: string; warning: ModelWarning }>();
  const missing = models.isListed && model !== saved ? unlistedModel(models.items, model) : undefined;
  return {
    warning: missing !== undefined && warned?.model === model ? warned.warning : undefined,
    stops() {
      if (missing === undefined || provider === undefined) return false;
      setWarned({ model, warning: { words: providerWords.notListed(provider.name), ...missing } });
      return true;
    },
  };
}
