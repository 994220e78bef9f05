import type { ProviderStatus } from '@countersign/protocol';
import { providerWords } from '../words/providers.js';
import { DEMO_PROVIDER } from './demo.js';

/** The id of the default provider for a new agent: a real model, or the demo's if nothing else is configured. */
export function firstProvider(known: readonly ProviderStatus[]): string {
  const usable = known.filter(({ available }) => available);
  return (usable.find(({ id }) => id !== DEMO_PROVIDER) ?? usable[0])?.id ?? '';
}

/** The label of a provider in a list: `ollama (not available)`. */
export function providerLabel(id: string, known: readonly ProviderStatus[]): string {
  const status = known.find((each) => each.id === id);
  if (status === undefined || status.available) return status?.name ?? id;
  return `${status.name} (${status.problem === undefined ? providerWords.noKey : providerWords.notAvailable})`;
}
