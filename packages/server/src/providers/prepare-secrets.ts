import type { Store } from '@countersign/core/ports';
import type { Log } from '../app/context.js';
import type { SecretsKey } from './secrets-key.js';

/**
 * Creates the key before anything is sandboxed: a sandbox can't hide a file that appears while its command runs (SAFE1). If it is missing although
 * secrets were saved, it is lost or elsewhere, and a new one could not decrypt them (MODEL8.7).
 */
export async function prepareSecrets(
  secrets: SecretsKey,
  store: Pick<Store, 'read'>,
  log: Log,
  options?: { inKeychain: boolean },
): Promise<void> {
  if (secrets.isFromEnvironment === true) return;
  try {
    if (!(await hasSecrets(store))) secrets.create(options);
    secrets.get();
  } catch (error) {
    // Only saved secrets need this file, and each of them reports the problem.
    log.warn("Saved secrets can't be read, and no secret can be saved", { error });
  }
}

async function hasSecrets(store: Pick<Store, 'read'>): Promise<boolean> {
  return await store.read(async (reader) => {
    if ((await reader.providers()).some(({ apiKey }) => apiKey !== null)) return true;
    for (const { id } of await reader.worlds())
      if ((await reader.mcpServers(id)).some(({ sealed, signIn }) => sealed !== null || signIn !== null)) return true;
    return false;
  });
}
