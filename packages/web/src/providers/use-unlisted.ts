import { useState } from 'react';
import { unlisted } from './model-choice.js';
import type { Models } from './use-models.js';

/** A model that the provider doesn't list is saved only after the warning has been shown (P9.2). `saved`: the agent's current model. */
export function useUnlisted(
  models: Models,
  model: string,
  saved?: string,
): {
  isShown: boolean;
  /** Shows the warning and returns true, unless it was already shown for this model. */ stops: () => boolean;
} {
  const [warned, setWarned] = useState('');
  const isUnlisted = models.isListed && model !== saved && unlisted(models.items, model) !== undefined;
  return {
    isShown: isUnlisted && warned === model,
    stops() {
      if (!isUnlisted || warned === model) return false;
      setWarned(model);
      return true;
    },
  };
}
