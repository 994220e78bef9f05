import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { Store } from '@countersign/core/ports';
import { passkeyPublicKeySchema, type Assertion, type PasskeyPublicKey } from '@countersign/protocol';
import { hashSecret, randomSecret } from '../auth/secrets.js';
import { changePeople } from '../people/change-people.js';
import { insertCredential } from '../people/credentials.js';

const sha256 = (bytes: string | Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

/** What an assertion contains, for tests that change a part of it. */
interface AssertionParts {
  origin: string;
  client: Record<string, unknown>;
  rpId: string;
  /** 1: a person was present. 4: the authenticator identified them. */
  flags: number;
  counter: number;
}

/** A passkey in software. Signs whatever it is asked to, without asking a person. */
export interface SoftPasskey {
  credentialId: string;
  publicKey: PasskeyPublicKey;
  rpId: string;
  sign(challenge: string, parts?: Partial<AssertionParts>): Assertion;
}

export function createSoftPasskey(
  kind: 'ed25519' | 'p-256' = 'ed25519',
  site: { rpId?: string; origin?: string } = {},
): SoftPasskey {
  const { rpId = 'localhost', origin = 'http://localhost:4300' } = site;
  const pair = kind === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const credentialId = randomBytes(16).toString('base64url');
  return {
    credentialId,
    publicKey: passkeyPublicKeySchema.parse(pair.publicKey.export({ format: 'jwk' })),
    rpId,
    sign(challenge, parts = {}) {
      const client = { type: 'webauthn.get', challenge, origin: parts.origin ?? origin, crossOrigin: false };
      const clientData = Buffer.from(JSON.stringify({ ...client, ...parts.client }));
      const counter = Buffer.alloc(4);
      counter.writeUInt32BE(parts.counter ?? 0);
      const data = Buffer.concat([sha256(parts.rpId ?? rpId), Buffer.from([parts.flags ?? 5]), counter]);
      const signed = Buffer.concat([data, sha256(clientData)]);
      return {
        credentialId,
        clientData: clientData.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign(kind === 'ed25519' ? null : 'sha256', signed, pair.privateKey).toString('base64url'),
      };
    },
  };
}

/** Writes a passkey to the store, as if its person had registered it in a browser. Returns the id of its row. */
export async function insertPasskey(
  store: Store,
  personId: string,
  { credentialId, publicKey, rpId }: SoftPasskey,
  { trusted = true, origin = 'http://localhost:4300' }: { trusted?: boolean; origin?: string } = {},
): Promise<string> {
  const id = hashSecret(credentialId).toString('hex').slice(0, 16);
  await changePeople(store, undefined, async (tx) => {
    const passkey = { credentialId, publicKey, rpId, origin, counter: 0, trusted };
    await insertCredential(
      tx,
      { id, secret: randomSecret() },
      {
        personId,
        kind: 'passkey',
        name: 'Test key',
        data: { passkey },
      },
    );
    return { value: undefined };
  });
  return id;
}
