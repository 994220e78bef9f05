import type { AuditEntry } from '@countersign/protocol';
export type Verdict = {
    ok: true;
    records: number;
} | {
    ok: false;
    at: number;
    why: string;
};
/**
 * Walks a chain of records and works out each link again (A16). It finds what was edited, removed or reordered; that the end was
 * not cut off is known only to the server, which keeps it outside the database.
 */
export declare function verifyChain(entries: readonly AuditEntry[]): Promise<Verdict>;
