import type { ProviderModel } from '@countersign/protocol';
import { providerWords } from '../words/providers.js';

/** Context size and price, if the list has them. */
export function factsOf({ contextTokens, inputPrice, outputPrice }: ProviderModel): string {
  const price =
    inputPrice === undefined && outputPrice === undefined ? [] : [providerWords.price(inputPrice, outputPrice)];
  return [...(contextTokens === undefined ? [] : [providerWords.context(contextTokens)]), ...price].join(' · ');
}
