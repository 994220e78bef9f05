import { z } from 'zod';
import { passkeyConfirmationSchema, passkeyPublicKeySchema } from './passkeys.js';
import { oneLine } from './people.js';

const base64url = (longest: number): z.ZodString =>
  z
    .string()
    .max(longest)
    .regex(/^[\w-]+$/, 'must be base64url without padding');

/** A passkey that a person registered (W8.7). */
export const passkeySchema = z.object({
  id: z.string(),
  /** Such as "Chrome on Linux". */
  name: z.string(),
  /** Whether it can sign calls and confirm changes. Any passkey can sign in. */
  trusted: z.boolean(),
  /** The host name that it belongs to. It doesn't work at other addresses. */
  host: z.string(),
  credentialId: z.string(),
  publicKey: passkeyPublicKeySchema,
  createdAt: z.string(),
  usedAt: z.string().exactOptional(),
});
export type RegisteredPasskey = z.infer<typeof passkeySchema>;

const descriptorSchema = z.object({ id: z.string(), type: z.literal('public-key') });

/** WebAuthn creation options, as JSON. */
export const passkeyOptionsSchema = z.object({
  challenge: z.string(),
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.number().int() })),
  timeout: z.number().int(),
  attestation: z.literal('none'),
  excludeCredentials: z.array(descriptorSchema),
  authenticatorSelection: z.object({
    residentKey: z.literal('required'),
    requireResidentKey: z.literal(true),
    userVerification: z.literal('required'),
  }),
});
export type PasskeyOptions = z.infer<typeof passkeyOptionsSchema>;

/** What an authenticator returned for these options, in base64url. */
export const newPasskeySchema = z.strictObject({
  /** Default: the browser and its operating system. */
  name: oneLine(100).exactOptional(),
  credentialId: base64url(1400),
  clientData: base64url(8192),
  attestation: base64url(65_536),
});
export type NewPasskey = z.infer<typeof newPasskeySchema>;

/** WebAuthn request options for signing in, as JSON. Any passkey of the host may answer. */
export const passkeySignInSchema = z.object({
  challenge: z.string(),
  rpId: z.string(),
  allowCredentials: z.array(descriptorSchema),
  userVerification: z.literal('required'),
  timeout: z.number().int(),
});
export type PasskeySignIn = z.infer<typeof passkeySignInSchema>;

/** Trusts a passkey. */
export const passkeyChangeSchema = z.strictObject({
  trusted: z.literal(true),
  confirmation: passkeyConfirmationSchema,
});
