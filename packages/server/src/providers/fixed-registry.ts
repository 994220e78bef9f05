import type { Engine } from '@countersign/core';
import { CountersignError } from '@countersign/protocol';
import { createRegistry, type ProviderRegistry } from './create-registry.js';

/** Providers for a program that configures them in code. */
export function createFixedRegistry({ runtime: { store, providers } }: Engine): ProviderRegistry {
  const own = providers.names().flatMap((name) => providers.get(name) ?? []);
  const secrets = {
    get: (): never => {
      throw new CountersignError(
        'invalid',
        'This server has no key for saved API keys. Add the provider in its program.',
      );
    },
    create: () => undefined,
    texts: () => [],
  };
  return createRegistry({ store, secrets, own });
}
