import { readAll, type Client } from '@countersign/client';
import type { PinnedPasskey } from '@countersign/protocol';

/** The public keys of all trusted passkeys, to store outside the server (SIGN2.10). */
export async function findKeys(client: Client): Promise<PinnedPasskey[]> {
  const people = await readAll(() => client.people());
  const found = await Promise.all(people.map(async ({ id }) => ({ id, ...(await client.passkeys(id)) })));
  return found.flatMap(({ id, items }) =>
    items
      .filter(({ trusted }) => trusted)
      .map(({ name, credentialId, host, publicKey }) => ({
        kind: 'countersign-passkey',
        version: 1,
        person: id,
        name,
        credentialId,
        rpId: host,
        publicKey,
      })),
  );
}
