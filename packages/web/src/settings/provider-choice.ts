import type { ProviderStatus } from '@countersign/protocol';
import { t } from '../words/settings.js';

/** The default for a new agent: a real model, or the demo's if nothing else is configured. */
export function firstProvider(known: readonly ProviderStatus[]): string {
  const usable = known.filter(({ available }) => available);
  return (usable.find(({ name }) => name !== 'scripted') ?? usable[0])?.name ?? '';
}

/** A provider as a choice: `ollama (not available)`. */
export function providerLabel(name: string, known: readonly ProviderStatus[]): string {
  const status = known.find((each) => each.name === name);
  if (status === undefined || status.available) return name;
  return `${name} (${status.problem === undefined ? t.noKey : t.notAvailable})`;
}
