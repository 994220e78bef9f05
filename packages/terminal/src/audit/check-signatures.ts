import type { AuditEntry } from '@countersign/protocol';
import { CommandError } from '../command-error.js';
import type { CommandContext } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { receiptWords as words, type ReceiptProblem } from '../words/receipts.js';
import { homeOf } from './add-audit-head.js';
import { isInside } from './audit-key.js';
import { readPinnedKeys } from './read-export.js';

/** What passkeys signed in a log (SIGN2.10). */
export interface Signatures {
  /** The number of records with a receipt. */
  receipts: number;
  invalid: { at: number; problem: ReceiptProblem }[];
  /** The file with the public keys. If absent, the keys come from the log itself. */
  keys?: string;
}

/** Checks the records of one log, in order. */
interface SignatureCheck {
  add(entry: AuditEntry): void;
  result: Signatures;
}

/** Reads the pinned keys. Each log gets a check of its own. Undefined without `--signatures`. */
export async function openSignatureChecks(
  context: CommandContext,
  { signatures, keys: file }: { signatures?: boolean; keys?: string },
): Promise<(() => Promise<SignatureCheck>) | undefined> {
  if (signatures !== true) {
    if (file !== undefined) throw new CommandError(words.keysWithoutSignatures, EXIT.usage);
    return undefined;
  }
  if (file !== undefined && isInside(await homeOf(context), file))
    throw new CommandError(words.keysInHome(file), EXIT.failed);
  const pinned = file === undefined ? undefined : readPinnedKeys(file);
  return async () => {
    const check = await context.servers.receiptCheck(pinned);
    const result: Signatures = { receipts: 0, invalid: [], ...(file === undefined ? {} : { keys: file }) };
    return {
      result,
      add(entry) {
        if (entry.receipt !== undefined) result.receipts += 1;
        const problem = check(entry);
        if (problem !== undefined) result.invalid.push({ at: entry.seq, problem });
      },
    };
  };
}

export function signaturesText({ receipts, keys }: Signatures): string[] {
  const from = keys === undefined ? words.notPinned : words.pinned(keys);
  return receipts === 0 ? [words.valid(0)] : [words.valid(receipts), from];
}
