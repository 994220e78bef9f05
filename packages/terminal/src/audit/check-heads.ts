import { verifyChain, type ChainVerdict } from '@countersign/client';
import type { AuditEntry, SignedHead } from '@countersign/protocol';

export type HeadFinding =
  | { kind: 'matches'; head: SignedHead }
  /** The log ends before the record named by the head. */
  | { kind: 'cut-off'; head: SignedHead; records: number }
  /** The log contains the record with a different hash: the record or an earlier one was changed. */
  | { kind: 'rewritten'; head: SignedHead }
  /** The first record differs: the head is from another store, or the whole log was replaced. */
  | { kind: 'other-log'; head: SignedHead };

interface HeadCheck {
  readonly chain: ChainVerdict;
  readonly findings: readonly HeadFinding[];
}

/** Compares a log with heads that were stored elsewhere. Everything at or before a head must be unchanged (LOG1). */
export async function checkHeads(
  entries: Iterable<AuditEntry> | AsyncIterable<AuditEntry>,
  heads: readonly SignedHead[],
  onRecord: (entry: AuditEntry) => void = () => undefined,
): Promise<HeadCheck> {
  const wanted = new Set(heads.map(({ seq }) => seq));
  const hashes = new Map<number, string>();
  let records = 0;
  const chain = await verifyChain(entries, (entry) => {
    const { seq, hash } = entry;
    records = seq;
    if (seq === 1 || wanted.has(seq)) hashes.set(seq, hash);
    onRecord(entry);
  });
  const findings = heads.map((head): HeadFinding => {
    if (records > 0 && hashes.get(1) !== head.first) return { kind: 'other-log', head };
    if (records < head.seq) return { kind: 'cut-off', head, records };
    return hashes.get(head.seq) === head.hash ? { kind: 'matches', head } : { kind: 'rewritten', head };
  });
  return { chain, findings };
}
