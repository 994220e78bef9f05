import { hash } from 'node:crypto';

/** The hash that chains a record to the previous one (LOG1). It can be recomputed from an export. */
export function link(previousHash: string, recordText: string): string {
  return hash('sha256', previousHash + recordText);
}
