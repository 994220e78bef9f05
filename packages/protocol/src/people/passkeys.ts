import { z } from 'zod';
import { field } from '../input/field.js';

const base64url = (longest: number): z.ZodString =>
  z
    .string()
    .max(longest)
    .regex(/^[\w-]+$/, 'must be base64url without padding');

/** The public key of a passkey, as a JWK. */
export const passkeyPublicKeySchema = z.union([
  z.strictObject({
    kty: field(z.literal('OKP'), 'Key type: OKP or EC.'),
    crv: field(z.literal('Ed25519'), 'Curve: Ed25519 or P-256.'),
    x: field(base64url(64), 'Public key, or its x coordinate.'),
  }),
  z.strictObject({
    kty: field(z.literal('EC'), 'Key type: OKP or EC.'),
    crv: field(z.literal('P-256'), 'Curve: Ed25519 or P-256.'),
    x: field(base64url(64), 'Public key, or its x coordinate.'),
    y: field(base64url(64), 'The y coordinate.'),
  }),
]);
export type PasskeyPublicKey = z.infer<typeof passkeyPublicKeySchema>;

/** What a passkey signed, as the browser returned it. `challenge` is the id of the challenge. */
export const passkeyConfirmationSchema = z.strictObject({
  challenge: field(z.string().min(1).max(100), 'Id of the challenge.'),
  credentialId: field(base64url(1400), "The authenticator's id of the passkey, in base64url."),
  clientData: field(base64url(8192), 'The client data (clientDataJSON) that was signed, in base64url.'),
  authenticatorData: field(base64url(8192), 'Bytes from the authenticator, in base64url.'),
  signature: field(base64url(2048), 'Signature, in base64url.'),
});
export type PasskeyConfirmation = z.infer<typeof passkeyConfirmationSchema>;
