import { z } from 'zod';
import { field } from '../input/field.js';
import { recordText } from '../text/record-text.js';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const auditClaimSchema = z.strictObject({
  kind: z.literal('countersign-audit-head'),
  version: z.literal(1),
  world: field(z.string().min(1).max(200), 'Id of the world.'),
  /** It identifies the log: two stores can have worlds with the same name. */
  first: field(sha256.clone(), 'Hash of record 1.'),
  seq: field(z.number().int().positive(), 'Number of the last record.'),
  hash: field(sha256.clone(), 'Hash of record `seq`. Through the chain, it covers all records before it.'),
  at: field(z.iso.datetime(), 'When the head was created, by the clock of the process that created it.'),
});

/** The content of a head, without its signature. */
export type AuditClaim = z.infer<typeof auditClaimSchema>;

/**
 * The end of a world's audit log at one point in time (LOG1). Store it where nobody who can change the log can change it. Unknown fields are
 * rejected because the signature would not cover them.
 */
export const signedHeadSchema = auditClaimSchema.extend({
  /** Ed25519 signature of `claimText`. Null if unsigned; the head is then only as trustworthy as the place where it was stored. */
  signature: field(
    z
      .strictObject({
        key: field(z.string().regex(/^SHA256:[A-Za-z0-9+/]{43}$/), 'SHA-256 of the public key.'),
        value: field(z.string().regex(/^[A-Za-z0-9+/]{86}==$/), 'The signature, in base64.'),
      })
      .nullable(),
    'Signature of the head. Null if unsigned.',
  ),
});
export type SignedHead = z.infer<typeof signedHeadSchema>;

/** The signed text. It names the key, so that a signature can't be attributed to another key. */
export function claimText({ kind, version, world, first, seq, hash, at }: AuditClaim, key: string): string {
  return recordText({ kind, version, world, first, seq, hash, at, key });
}
