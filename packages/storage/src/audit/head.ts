/** Where a world's audit chain ends. */
export interface AuditHead {
  seq: number;
  hash: string;
}
