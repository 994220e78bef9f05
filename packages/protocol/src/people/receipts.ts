import { z } from 'zod';
import { field, text } from '../input/field.js';
import { passkeyConfirmationSchema, passkeyPublicKeySchema } from './passkeys.js';

const hex32 = z.string().regex(/^[0-9a-f]{64}$/);
const base64url = z.string().regex(/^[\w-]+$/);
const id = z.string().min(1).max(200);

/** What a passkey signs: this decision about exactly this call (SIGN2). */
const signedDecisionSchema = z.strictObject({
  call: field(hex32.clone(), 'Salted hash of the call as it was shown.'),
  calls: field(
    z.array(hex32.clone()).min(1).max(20).exactOptional(),
    'For a batch: the salted hashes of its calls, in their order. `call` is then the salted hash of the batch.',
  ),
  salt: field(hex32.clone(), 'Random salt of the hash.'),
  effect: field(
    hex32.exactOptional(),
    "Hash of the call's rehearsed effect, or of the preview that was shown, if there was one.",
  ),
  decision: field(z.enum(['approve', 'deny']), 'approve or deny.'),
  scope: z.literal('once'),
  approvalId: field(id.clone(), 'Id of the approval.'),
  nonce: field(base64url.min(22).max(86), "Random, and accepted once: a signature can't be used again."),
});
export type SignedDecision = z.infer<typeof signedDecisionSchema>;

/** The answer of an authenticator, with its bytes in base64url. */
export const assertionSchema = passkeyConfirmationSchema.omit({ challenge: true });
export type Assertion = z.infer<typeof assertionSchema>;

/** A decision with its signature. Everything needed to verify it except the public key. */
export const receiptSchema = assertionSchema.extend({
  version: field(z.literal(1), 'Version of the format.'),
  signed: field(signedDecisionSchema.clone(), 'The decision that the passkey signed.'),
});
export type Receipt = z.infer<typeof receiptSchema>;

/** A receipt as stored in the audit log, with the key that verified it. */
export const storedReceiptSchema = receiptSchema.extend({
  callHash: text('The keyed hash of the call. Part of the text that `call` is the hash of.'),
  publicKey: field(passkeyPublicKeySchema.clone(), 'Public key of the passkey, as a JWK.'),
  rpId: text('The site that the passkey belongs to.'),
});
export type StoredReceipt = z.infer<typeof storedReceiptSchema>;

/** A public key that an auditor keeps outside the server (`countersign people keys`), to verify receipts with. */
export const pinnedPasskeySchema = z.strictObject({
  kind: z.literal('countersign-passkey'),
  version: z.literal(1),
  person: field(id.clone(), 'Id of the person whose passkey it is.'),
  name: text('Name of the passkey.'),
  credentialId: field(base64url.clone(), "The authenticator's id of the passkey, in base64url."),
  rpId: field(z.string().min(1), 'Host name that the passkey belongs to.'),
  publicKey: field(passkeyPublicKeySchema.clone(), 'Public key of the passkey, as a JWK.'),
});
export type PinnedPasskey = z.infer<typeof pinnedPasskeySchema>;

/** What a trusted passkey can confirm. */
const confirmableSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('sign-call'),
    world: field(id.clone(), 'Id of the world.'),
    approval: field(id.clone(), 'Id of the approval.'),
    decision: field(z.literal('approve'), 'Only an approval needs a passkey.'),
  }),
  z.strictObject({
    kind: z.literal('sign-batch'),
    world: field(id.clone(), 'Id of the world.'),
    batch: field(id.clone(), 'Id of the batch.'),
    batchHash: field(hex32.clone(), 'Hash of the batch as shown.'),
  }),
  z.strictObject({ kind: z.literal('trust-passkey'), passkey: field(id.clone(), 'Id of the passkey.') }),
  z.strictObject({ kind: z.literal('remove-passkey'), passkey: field(id.clone(), 'Id of the passkey.') }),
  /** A request that would weaken a rule `with passkey`, delegates a right to sign, opens another device, or creates a credential, exactly as it is sent (SIGN2.5, SIGN4.4, WHO2, WHO5.3). */
  z.strictObject({
    kind: z.literal('change-world'),
    method: field(z.enum(['POST', 'PUT', 'PATCH', 'DELETE']), 'Method of the request to confirm.'),
    path: field(
      z
        .string()
        .max(1000)
        .regex(
          /^\/(?:worlds(?:\/|$)|me\/(?:delegations|devices\/link)$|people\/[^/]+\/(?:tokens|invitations)$)/,
          'must start with /worlds, or be that of a new delegation, device link, token or invitation',
        ),
      'Path of the request, without /api.',
    ),
    body: field(z.record(z.string(), z.unknown()).exactOptional(), 'Body of the request, without `confirmation`.'),
  }),
]);
export type Confirmable = z.infer<typeof confirmableSchema>;

export const newChallengeSchema = z.strictObject({
  action: field(confirmableSchema.clone(), 'What the passkey confirms.'),
});
export type NewChallenge = z.infer<typeof newChallengeSchema>;

/** A challenge to sign with a passkey. `options` are WebAuthn request options, as JSON. */
export const challengeSchema = z.object({
  challenge: text('The id to send back with the signature.'),
  expiresAt: text('When it expires.'),
  options: field(
    z.object({
      challenge: text('What the passkey signs, in base64url.'),
      rpId: text('Host name that the passkeys belong to.'),
      allowCredentials: field(
        z.array(
          z.object({ id: text("The authenticator's id of the passkey, in base64url."), type: z.literal('public-key') }),
        ),
        'Passkeys that can sign the challenge.',
      ),
      userVerification: field(z.literal('required'), 'Always required.'),
      timeout: field(z.number().int(), 'Milliseconds.'),
    }),
    'Request options for WebAuthn.',
  ),
});
export type Challenge = z.infer<typeof challengeSchema>;
