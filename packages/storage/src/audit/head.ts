/** The end of a world's audit chain. */
export interface AuditHead {
  seq: number;
  hash: string;
}

/** An audit head as stored outside the database. */
export interface StoredHead extends AuditHead {
  /** Number of records that existed when this head was first stored, and so were never guarded. Absent: none. */
  unguarded?: number;
}
