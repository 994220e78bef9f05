/** The end of a world's audit chain. */
export interface AuditHead {
  seq: number;
  hash: string;
}

/** An audit head as stored outside the database. */
export interface StoredHead extends AuditHead {
  /** Number of records that already existed when this head was first stored, and were therefore never guarded. Absent if zero. */
  unguarded?: number;
}
