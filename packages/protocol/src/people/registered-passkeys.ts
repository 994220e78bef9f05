import { z } from 'zod';
import { api, field, text, createdAt } from '../input/field.js';
import { passkeyConfirmationSchema, passkeyPublicKeySchema } from './passkeys.js';
import { oneLine } from './people.js';

const base64url = (longest: number): z.ZodString =>
  z
    .string()
    .max(longest)
    .regex(/^[\w-]+$/, 'must be base64url without padding');

/** A passkey that a person registered (WHO6). */
export const passkeySchema = z.object({
  id: text('Id of the passkey.'),
  name: text('Name of the passkey, such as Chrome on Linux.'),
  trusted: field(z.boolean(), 'Whether it can sign calls and confirm changes. Any passkey can sign in.'),
  host: text("The host name that it belongs to. It doesn't work at other addresses."),
  credentialId: text("The authenticator's id of the passkey, in base64url."),
  publicKey: field(passkeyPublicKeySchema.clone(), 'Public key of the passkey, as a JWK.'),
  createdAt,
  usedAt: text('When it was last used.').exactOptional(),
});
api.add(passkeySchema, { id: 'Passkey' });
export type RegisteredPasskey = z.infer<typeof passkeySchema>;

const descriptorSchema = z.object({
  id: text("The authenticator's id of the passkey, in base64url."),
  type: z.literal('public-key'),
});

/** WebAuthn creation options, as JSON. */
export const passkeyOptionsSchema = z.object({
  challenge: text('Id of the challenge.'),
  rp: field(
    z.object({ id: text('Host name of the site.'), name: text('Name of the site.') }),
    'The site that the passkey is for.',
  ),
  user: field(
    z.object({
      id: text("A hash of the person's id."),
      name: text('Name of the account.'),
      displayName: text('Name of the person.'),
    }),
    'The person that the passkey is for.',
  ),
  pubKeyCredParams: field(
    z.array(z.object({ type: z.literal('public-key'), alg: field(z.number().int(), 'COSE number of the algorithm.') })),
    'Signature algorithms that the server accepts.',
  ),
  timeout: field(z.number().int(), 'Milliseconds.'),
  attestation: z.literal('none'),
  excludeCredentials: field(z.array(descriptorSchema), 'Passkeys that the person already has.'),
  authenticatorSelection: field(
    z.object({
      residentKey: field(z.literal('required'), 'Always required, so that people can sign in without typing a name.'),
      requireResidentKey: field(z.literal(true), 'The same, for older browsers.'),
      userVerification: field(z.literal('required'), 'Always required.'),
    }),
    'What the authenticator must be able to do.',
  ),
});
export type PasskeyOptions = z.infer<typeof passkeyOptionsSchema>;

/** What an authenticator returned for these options, in base64url. */
export const newPasskeySchema = z.strictObject({
  name: field(oneLine(100).exactOptional(), 'Name of the passkey. Default: the browser and its operating system.'),
  credentialId: field(base64url(1400), "The authenticator's id of the passkey, in base64url."),
  clientData: field(base64url(8192), 'The client data (clientDataJSON) that was signed, in base64url.'),
  attestation: field(base64url(65_536), 'The attestation object, in base64url.'),
});
export type NewPasskey = z.infer<typeof newPasskeySchema>;

/** WebAuthn request options for signing in, as JSON. Any passkey of the host may answer. */
export const passkeySignInSchema = z.object({
  challenge: text('Id of the challenge.'),
  rpId: text('Host name that the passkeys belong to.'),
  allowCredentials: field(z.array(descriptorSchema), 'Passkeys that can answer. Empty: any passkey of this host.'),
  userVerification: field(z.literal('required'), 'Always required.'),
  timeout: field(z.number().int(), 'Milliseconds.'),
});
export type PasskeySignIn = z.infer<typeof passkeySignInSchema>;

/** Trusts a passkey. */
export const passkeyChangeSchema = z.strictObject({
  trusted: field(z.literal(true), 'Set to true to let it sign calls and confirm changes.'),
  confirmation: field(passkeyConfirmationSchema.clone(), 'A challenge that was signed with a passkey.'),
});
