import { recordText, type AuditEntry } from '@countersign/protocol';

export type Verdict = { ok: true; records: number } | { ok: false; at: number; why: string };

/**
 * Walks a chain of records and works out each link again (A16). It finds what was edited, removed or reordered; that the end was
 * not cut off is known only to the server, which keeps it outside the database.
 */
export async function verifyChain(entries: readonly AuditEntry[]): Promise<Verdict> {
  let previous: AuditEntry | undefined;
  for (const entry of entries) {
    const expected = (previous?.seq ?? 0) + 1;
    if (entry.seq !== expected) return { ok: false, at: expected, why: `Record ${expected} is missing.` };
    if (entry.previousHash !== (previous?.hash ?? ''))
      return { ok: false, at: entry.seq, why: `Record ${entry.seq} followed another one when it was written.` };
    if ((await linkOf(entry)) !== entry.hash)
      return { ok: false, at: entry.seq, why: `Record ${entry.seq} does not fit its hash: it was changed.` };
    previous = entry;
  }
  return { ok: true, records: entries.length };
}

async function linkOf({ seq: _seq, hash: _hash, previousHash, ...record }: AuditEntry): Promise<string> {
  const text = new TextEncoder().encode(previousHash + recordText(record));
  const digest = await crypto.subtle.digest('SHA-256', text);
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
