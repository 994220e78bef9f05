import { recordText, type AuditEntry } from '@countersign/protocol';

export type ChainVerdict = { ok: true; records: number } | { ok: false; at: number; why: string };

/**
 * Verifies a hash chain (LOG1): detects edited, removed or reordered records. It can't detect a log that was rewritten or truncated; that requires a
 * head stored elsewhere.
 */
export async function verifyChain(
  entries: Iterable<AuditEntry> | AsyncIterable<AuditEntry>,
  onRecord: (entry: AuditEntry) => void = () => undefined,
): Promise<ChainVerdict> {
  let seq = 0;
  let hash = '';
  for await (const entry of entries) {
    const expected = seq + 1;
    if (entry.seq !== expected) return { ok: false, at: expected, why: `Record ${expected} is missing.` };
    if (entry.previousHash !== hash)
      return { ok: false, at: expected, why: `Record ${expected} is not chained to the record before it.` };
    if ((await linkOf(entry)) !== entry.hash)
      return { ok: false, at: expected, why: `Record ${expected} does not match its hash, so it was changed.` };
    ({ seq, hash } = entry);
    onRecord(entry);
  }
  return { ok: true, records: seq };
}

async function linkOf({ seq: _seq, hash: _hash, previousHash, ...record }: AuditEntry): Promise<string> {
  const text = new TextEncoder().encode(previousHash + recordText(record));
  const digest = await crypto.subtle.digest('SHA-256', text);
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
