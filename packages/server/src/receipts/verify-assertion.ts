import { createHash, createPublicKey, timingSafeEqual, verify, type KeyObject } from 'node:crypto';
import type { Assertion, PasskeyPublicKey } from '@countersign/protocol';
import { z } from 'zod';

/** What is needed to verify a passkey's signature. */
export interface VerifyingKey {
  credentialId: string;
  publicKey: PasskeyPublicKey;
  /** The site that the passkey belongs to. */
  rpId: string;
  /** The addresses whose pages may ask for a signature. Default: every page on the host `rpId`, on any port. */
  origins?: readonly string[];
}

export type AssertionProblem =
  | 'malformed'
  | 'unknown-passkey'
  | 'not-an-assertion'
  | 'other-challenge'
  | 'other-site'
  | 'embedded'
  | 'no-person'
  | 'not-verified'
  | 'wrong-signature';

const clientDataSchema = z.looseObject({
  type: z.string(),
  challenge: z.string(),
  origin: z.string(),
  crossOrigin: z.boolean().exactOptional(),
});

const USER_PRESENT = 1;
const USER_VERIFIED = 4;
/** Hash of the site (32 bytes), flags, counter (4 bytes). */
const SHORTEST_DATA = 37;

/** Verifies that this passkey signed this challenge on our page, and that its person was present and identified. */
export function findAssertionProblem(
  assertion: Assertion,
  challenge: Uint8Array,
  passkey: VerifyingKey,
): AssertionProblem | undefined {
  if (assertion.credentialId !== passkey.credentialId) return 'unknown-passkey';
  const [data, clientData, signature] = [assertion.authenticatorData, assertion.clientData, assertion.signature].map(
    decode,
  );
  const client = clientData === undefined ? undefined : readClientData(clientData);
  if (data === undefined || clientData === undefined || signature === undefined || client === undefined)
    return 'malformed';
  if (client.type !== 'webauthn.get') return 'not-an-assertion';
  if (client.challenge !== Buffer.from(challenge).toString('base64url')) return 'other-challenge';
  if (!isOrigin(client.origin, passkey)) return 'other-site';
  if (client.crossOrigin === true) return 'embedded';
  if (data.length < SHORTEST_DATA) return 'malformed';
  if (!timingSafeEqual(data.subarray(0, 32), sha256(Buffer.from(passkey.rpId)))) return 'other-site';
  const flags = data.readUInt8(32);
  if ((flags & USER_PRESENT) === 0) return 'no-person';
  if ((flags & USER_VERIFIED) === 0) return 'not-verified';
  const key = readKey(passkey.publicKey);
  const digest = passkey.publicKey.kty === 'OKP' ? null : 'sha256';
  const signed = Buffer.concat([data, sha256(clientData)]);
  return key !== undefined && verify(digest, signed, key, signature) ? undefined : 'wrong-signature';
}

/** The signature counter of a verified assertion. */
export function counterOf({ authenticatorData }: Assertion): number {
  return Buffer.from(authenticatorData, 'base64url').readUInt32BE(33);
}

/** Whether a page with this host name can use passkeys of this site. */
export function isOnSite(hostname: string, rpId: string): boolean {
  return hostname === rpId || hostname.endsWith(`.${rpId}`);
}

function isOrigin(origin: string, { origins, rpId }: VerifyingKey): boolean {
  if (!URL.canParse(origin) || new URL(origin).origin !== origin) return false;
  return isOnSite(new URL(origin).hostname, rpId) && (origins?.includes(origin) ?? true);
}

/** Undefined if another text would decode to the same bytes: a receipt has one form only. */
function decode(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}

function readClientData(bytes: Buffer): z.infer<typeof clientDataSchema> | undefined {
  try {
    return clientDataSchema.parse(JSON.parse(bytes.toString('utf8')));
  } catch {
    return undefined;
  }
}

function readKey(publicKey: PasskeyPublicKey): KeyObject | undefined {
  try {
    return createPublicKey({ key: publicKey, format: 'jwk' });
  } catch {
    return undefined;
  }
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}
