import type { ProviderModel } from '@countersign/protocol';
import { t } from '../words/providers.js';

/** Context size and price, if the list has them. */
export function factsOf({ contextTokens, inputPrice, outputPrice }: ProviderModel): string {
  const price = inputPrice === undefined && outputPrice === undefined ? [] : [t.price(inputPrice, outputPrice)];
  return [...(contextTokens === undefined ? [] : [t.context(contextTokens)]), ...price].join(' · ');
}
