import { hash } from 'node:crypto';

/** The hash that ties a record to the one before it (A16). Anybody can work it out again from an export. */
export function link(previousHash: string, recordText: string): string {
  return hash('sha256', previousHash + recordText);
}
