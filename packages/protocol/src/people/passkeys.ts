import { z } from 'zod';

const base64url = (longest: number): z.ZodString =>
  z
    .string()
    .max(longest)
    .regex(/^[\w-]+$/, 'must be base64url without padding');

/** The public key of a passkey, as a JWK. */
export const passkeyPublicKeySchema = z.union([
  z.strictObject({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: base64url(64) }),
  z.strictObject({ kty: z.literal('EC'), crv: z.literal('P-256'), x: base64url(64), y: base64url(64) }),
]);
export type PasskeyPublicKey = z.infer<typeof passkeyPublicKeySchema>;

/** What a passkey signed, as the browser returned it. `challenge` is the id of the challenge. */
export const passkeyConfirmationSchema = z.strictObject({
  challenge: z.string().min(1).max(100),
  credentialId: base64url(1400),
  clientData: base64url(8192),
  authenticatorData: base64url(8192),
  signature: base64url(2048),
});
export type PasskeyConfirmation = z.infer<typeof passkeyConfirmationSchema>;
