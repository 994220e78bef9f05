/** Where a world's audit chain ends. */
export interface AuditHead {
  seq: number;
  hash: string;
}

/** The same, as it is kept outside the database. */
export interface KeptHead extends AuditHead {
  /** How many records were there when this was first kept: nobody outside the database knew them. Absent: none. */
  unguarded?: number;
}
