import type { Store } from '@countersign/core/ports';
import { expect, it } from 'vitest';
import { prepareSecrets } from './prepare-secrets.js';
import type { SecretsKey } from './secrets-key.js';

it('[MODEL8.7] [MCP2] a secrets key that can’t be read is reported for all secrets, not only for API keys', async () => {
  const said: string[] = [];
  const log = (message: string): void => void said.push(message);
  const broken = (): never => {
    throw new Error('it is empty');
  };
  const secrets: SecretsKey = { get: broken, create: broken, texts: () => [] };
  const store = { read: () => Promise.resolve(true) } as unknown as Pick<Store, 'read'>;
  await prepareSecrets(secrets, store, { info: log, warn: log, error: log });
  expect(said).toEqual(["Saved secrets can't be read, and no secret can be saved"]);
});
