import type * as Crypto from 'node:crypto';

/**
 * Both ends allow only this: TLS 1.3 with a pre-shared key and an ephemeral key exchange. No certificate is trusted; without `ca`, Node would read
 * its own list of authorities, which takes 40 ms.
 */
export const CHANNEL_TLS = { ciphers: 'TLS_AES_128_GCM_SHA256', minVersion: 'TLSv1.3', ca: [] as string[] } as const;
export const CHANNEL_TARGET = 'countersign';
/** Names the token, without its secret. */
export const TOKEN_ID_HEADER = 'countersign-token-id';
/** The token of the server itself has no id. */
export const SERVER_TOKEN_ID = 'server';

/** Loads the module on first use: the hook does so while the server answers. */
const loadCrypto = (): typeof Crypto => process.getBuiltinModule('node:crypto');

interface TokenParts {
  readonly id: string;
  readonly secret: string;
}

export function splitToken(token: string): TokenParts {
  const [, id = SERVER_TOKEN_ID, secret = token] = /^cs_([0-9a-f]{8,16})_([\w-]{43})$/.exec(token) ?? [];
  return { id, secret };
}

export function keyOfSecret(secret: string): Buffer {
  return keyOfHash(loadCrypto().createHash('sha256').update(secret).digest());
}

/** The server stores the hash of each token and nothing else of it. The hash proves the server; a client still needs the token. */
export function keyOfHash(hash: Buffer): Buffer {
  return loadCrypto().createHmac('sha256', hash).update('countersign channel 1').digest();
}
