import { z } from 'zod';
import { field, text } from '../input/field.js';
import { receiptSchema } from '../people/receipts.js';
import { whoSchema } from '../people/who.js';

/** The notes that hold receipts of commits. */
export const RECEIPTS_REF = 'refs/notes/countersign';

/** What the server signs about a commit that a run has brought. */
export const commitReceiptSchema = z.strictObject({
  version: z.literal(1),
  commit: text('Id of the commit.'),
  change: text('Hash of the effect that was signed.'),
  run: text('Id of the run.'),
  call: text('Id of the call that applied it.'),
  world: text('Id of the world.'),
  appliedAt: text('When it was applied.'),
  /** Who approved it. Empty if a rule allowed it. */
  signers: z.array(whoSchema),
  rule: text('The rule that allowed it, if one did.').exactOptional(),
  passkeys: field(z.array(receiptSchema), 'What passkeys signed about the same change.'),
});
export type CommitReceipt = z.infer<typeof commitReceiptSchema>;

/** The note of a commit. */
export const signedReceiptSchema = z.strictObject({
  payload: text('JSON of the receipt, exactly as it was signed.'),
  key: text('Id of the key that signed it.'),
  signature: text('Ed25519 signature of the payload.'),
});
export type SignedReceipt = z.infer<typeof signedReceiptSchema>;

/** The public key of a server, in a file that people keep elsewhere. */
export const pinnedServerSchema = z.strictObject({
  kind: z.literal('countersign-server'),
  version: z.literal(1),
  id: text('Id of the key.'),
  publicKey: text('Ed25519 key in SPKI form, in base64.'),
});
export type PinnedServer = z.infer<typeof pinnedServerSchema>;
