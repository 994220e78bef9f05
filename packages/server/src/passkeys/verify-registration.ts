import type { PasskeyData } from '@countersign/core/ports';
import type { NewPasskey, PasskeyPublicKey } from '@countersign/protocol';
import { HttpProblem } from '../app/http-problem.js';
import { problemTexts } from '../app/problem-texts.js';
import type { PasskeySite } from './passkey-site.js';

/** EdDSA and ES256: the algorithms whose signatures the audit log can verify. */
export const ALGORITHMS = [-8, -7];

/** Verifies what an authenticator returned when it created a passkey. Throws if the person was not present and identified. */
export async function verifyRegistration(
  { credentialId, clientData, attestation }: NewPasskey,
  challenge: string,
  { rpId, origin }: PasskeySite,
): Promise<Omit<PasskeyData, 'trusted'>> {
  // Loaded lazily: it is large, and only registering a passkey needs it.
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const verified = await verifyRegistrationResponse({
    response: {
      id: credentialId,
      rawId: credentialId,
      type: 'public-key',
      response: { clientDataJSON: clientData, attestationObject: attestation },
      clientExtensionResults: {},
    },
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch((cause: unknown) => {
    throw new HttpProblem(422, problemTexts.badPasskey(cause instanceof Error ? cause.message : ''), { cause });
  });
  if (!verified.verified) throw new HttpProblem(422, problemTexts.badPasskey('verification failed'));
  const { credential } = verified.registrationInfo;
  const cose = await import('@simplewebauthn/server/helpers').then(({ decodeCredentialPublicKey }) =>
    decodeCredentialPublicKey(credential.publicKey),
  );
  const publicKey = toJwk(cose);
  return { credentialId: credential.id, publicKey, rpId, origin, counter: credential.counter };
}

/** A decoded key: a map from labels (RFC 9053, section 7) to values. */
interface CoseKey {
  get(label: number): unknown;
}

function toJwk(cose: CoseKey): PasskeyPublicKey {
  const [kty, crv] = [cose.get(1), cose.get(-1)];
  if (kty === 1 && crv === 6) return { kty: 'OKP', crv: 'Ed25519', x: coordinate(cose.get(-2)) };
  if (kty === 2 && crv === 1)
    return { kty: 'EC', crv: 'P-256', x: coordinate(cose.get(-2)), y: coordinate(cose.get(-3)) };
  throw new HttpProblem(422, problemTexts.badPasskey('unsupported key type'));
}

function coordinate(bytes: unknown): string {
  if (bytes instanceof Uint8Array && bytes.length === 32) return Buffer.from(bytes).toString('base64url');
  throw new HttpProblem(422, problemTexts.badPasskey('malformed public key'));
}
