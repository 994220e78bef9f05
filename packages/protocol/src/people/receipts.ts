import { z } from 'zod';
import { passkeyConfirmationSchema, passkeyPublicKeySchema } from './passkeys.js';

const hex32 = z.string().regex(/^[0-9a-f]{64}$/);
const base64url = z.string().regex(/^[\w-]+$/);
const id = z.string().min(1).max(200);

/** What a passkey signs: this decision about exactly this call (A49). */
const signedDecisionSchema = z.strictObject({
  /** The salted hash of the call, as it was shown. */
  call: hex32,
  salt: hex32,
  /** The hash of the call's rehearsed effect or, without a rehearsal, of the preview that was shown with it. */
  effect: hex32.exactOptional(),
  decision: z.enum(['approve', 'deny']),
  scope: z.literal('once'),
  approvalId: id,
  /** Random, and accepted once: a signature can't be used again. */
  nonce: base64url.min(22).max(86),
});
export type SignedDecision = z.infer<typeof signedDecisionSchema>;

/** The answer of an authenticator, with its bytes in base64url. */
export const assertionSchema = passkeyConfirmationSchema.omit({ challenge: true });
export type Assertion = z.infer<typeof assertionSchema>;

/** A decision with its signature. Everything needed to verify it except the public key. */
export const receiptSchema = assertionSchema.extend({ version: z.literal(1), signed: signedDecisionSchema });
export type Receipt = z.infer<typeof receiptSchema>;

/** A receipt as stored in the audit log, with the key that verified it. */
export const storedReceiptSchema = receiptSchema.extend({
  /** The keyed hash of the call. Part of the text that `call` is the hash of. */
  callHash: z.string(),
  publicKey: passkeyPublicKeySchema,
  /** The site that the passkey belongs to. */
  rpId: z.string(),
});
export type StoredReceipt = z.infer<typeof storedReceiptSchema>;

/** A public key that an auditor keeps outside the server (`countersign people keys`), to verify receipts with. */
export const pinnedPasskeySchema = z.strictObject({
  kind: z.literal('countersign-passkey'),
  version: z.literal(1),
  /** The id of the person whose passkey it is. */
  person: id,
  name: z.string(),
  credentialId: base64url,
  rpId: z.string().min(1),
  publicKey: passkeyPublicKeySchema,
});
export type PinnedPasskey = z.infer<typeof pinnedPasskeySchema>;

/** What a trusted passkey can confirm. */
const confirmableSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('sign-call'), world: id, approval: id, decision: z.literal('approve') }),
  z.strictObject({ kind: z.literal('trust-passkey'), passkey: id }),
  z.strictObject({ kind: z.literal('remove-passkey'), passkey: id }),
  /** A request that would weaken a rule `with passkey`, delegates a right to sign, opens another device, or creates a credential, exactly as it is sent (A49.5, A51.4, W1.12, W8.15). */
  z.strictObject({
    kind: z.literal('change-world'),
    method: z.enum(['POST', 'PUT', 'PATCH', 'DELETE']),
    /** Without `/api`, such as `/worlds/bank/policy`. */
    path: z
      .string()
      .max(1000)
      .regex(
        /^\/(?:worlds(?:\/|$)|me\/(?:delegations|devices\/link)$|people\/[^/]+\/(?:tokens|invitations)$)/,
        'must start with /worlds, or be that of a new delegation, device link, token or invitation',
      ),
    /** The body, without `confirmation`. */
    body: z.record(z.string(), z.unknown()).exactOptional(),
  }),
]);
export type Confirmable = z.infer<typeof confirmableSchema>;

export const newChallengeSchema = z.strictObject({ action: confirmableSchema });
export type NewChallenge = z.infer<typeof newChallengeSchema>;

/** A challenge to sign with a passkey. `options` are WebAuthn request options, as JSON. */
export const challengeSchema = z.object({
  /** The id to send back with the signature. */
  challenge: z.string(),
  expiresAt: z.string(),
  options: z.object({
    challenge: z.string(),
    rpId: z.string(),
    allowCredentials: z.array(z.object({ id: z.string(), type: z.literal('public-key') })),
    userVerification: z.literal('required'),
    timeout: z.number().int(),
  }),
});
export type Challenge = z.infer<typeof challengeSchema>;
