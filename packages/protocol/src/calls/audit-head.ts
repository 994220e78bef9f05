import { z } from 'zod';
import { recordText } from '../text/record-text.js';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const auditClaimSchema = z.strictObject({
  kind: z.literal('countersign-audit-head'),
  version: z.literal(1),
  world: z.string().min(1).max(200),
  /** The hash of record 1. It identifies the log: two stores can have worlds with the same name. */
  first: sha256,
  seq: z.number().int().positive(),
  /** The hash of record `seq`. Through the chain, it covers all records before it. */
  hash: sha256,
  /** When the head was created, by the clock of the process that created it. */
  at: z.iso.datetime(),
});

/** The content of a head, without its signature. */
export type AuditClaim = z.infer<typeof auditClaimSchema>;

/**
 * The end of a world's audit log at one point in time (A16). Store it where nobody who can change the log can change it. Unknown fields are
 * rejected because the signature would not cover them.
 */
export const signedHeadSchema = auditClaimSchema.extend({
  /** Ed25519 signature of `claimText`. Null if unsigned; the head is then only as trustworthy as the place where it was stored. */
  signature: z
    .strictObject({
      key: z.string().regex(/^SHA256:[A-Za-z0-9+/]{43}$/),
      value: z.string().regex(/^[A-Za-z0-9+/]{86}==$/),
    })
    .nullable(),
});
export type SignedHead = z.infer<typeof signedHeadSchema>;

/** The signed text. It names the key, so that a signature can't be attributed to another key. */
export function claimText({ kind, version, world, first, seq, hash, at }: AuditClaim, key: string): string {
  return recordText({ kind, version, world, first, seq, hash, at, key });
}
