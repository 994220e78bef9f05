import { z } from 'zod';
import { receiptSchema } from '../people/receipts.js';
import { whoSchema } from '../people/who.js';

/** The notes that hold receipts of commits. */
export const RECEIPTS_REF = 'refs/notes/countersign';

/** What the server signs about a commit that a run has brought. */
export const commitReceiptSchema = z.strictObject({
  version: z.literal(1),
  commit: z.string(),
  /** The hash of the effect that was signed. */
  change: z.string(),
  run: z.string(),
  call: z.string(),
  world: z.string(),
  appliedAt: z.string(),
  /** Who approved it. Empty if a rule allowed it. */
  signers: z.array(whoSchema),
  rule: z.string().exactOptional(),
  /** What passkeys signed about the same change. */
  passkeys: z.array(receiptSchema),
});
export type CommitReceipt = z.infer<typeof commitReceiptSchema>;

/** The note of a commit. `payload` is the JSON of a `CommitReceipt`, exactly as it was signed. */
export const signedReceiptSchema = z.strictObject({ payload: z.string(), key: z.string(), signature: z.string() });
export type SignedReceipt = z.infer<typeof signedReceiptSchema>;

/** The public key of a server, in a file that people keep elsewhere. `publicKey`: Ed25519 in SPKI, base64. */
export const pinnedServerSchema = z.strictObject({
  kind: z.literal('countersign-server'),
  version: z.literal(1),
  id: z.string(),
  publicKey: z.string(),
});
export type PinnedServer = z.infer<typeof pinnedServerSchema>;
