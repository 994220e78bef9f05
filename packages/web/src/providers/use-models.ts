import type { ProviderModel, ProviderStatus } from '@countersign/protocol';
import { useClient } from '../data/connection.js';
import { useRead } from '../data/use-read.js';

export interface Models {
  readonly items: readonly ProviderModel[];
  /** Whether `items` is the provider's own list, not only models known without a request to it. */
  readonly isListed: boolean;
  readonly state: 'loading' | 'ready';
  /** Why there is no list. */
  readonly why?: string;
}

/** A provider's models; empty while they are loading. */
export function useModels(provider: ProviderStatus | undefined): Models {
  const client = useClient();
  const id = provider?.id ?? '';
  const read = useRead({
    key: ['provider-models', id],
    read: (signal) => client.providerModels(id, { signal }),
    enabled: provider?.available === true,
  });
  const known = (provider?.models ?? []).map((model) => ({ id: model }));
  if (provider?.available !== true) return { items: known, isListed: false, state: 'ready' };
  if (read.kind === 'loading') return { items: known, isListed: false, state: 'loading' };
  if (read.kind === 'failed') return { items: known, isListed: false, state: 'ready', why: read.why };
  const { items, problem } = read.data;
  if (problem !== undefined) return { items: known, isListed: false, state: 'ready', why: problem.detail };
  return { items, isListed: true, state: 'ready' };
}
