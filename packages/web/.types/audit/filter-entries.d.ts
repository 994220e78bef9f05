import type { AuditEntry } from '@countersign/protocol';
export interface Filter {
    /** Empty: all. */
    kind: string;
    agentId: string;
    words: string;
}
/** The records that fit, newest first. */
export declare function filterEntries(entries: readonly AuditEntry[], { kind, agentId, words }: Filter): AuditEntry[];
