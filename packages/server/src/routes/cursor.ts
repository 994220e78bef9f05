import { CountersignError } from '@countersign/protocol';

/** Creates an opaque cursor for a position in a list. */
export function writeCursor(place: number): string {
  return Buffer.from(`p${place}`).toString('base64url');
}

export function readCursor(cursor: string, field: string): number {
  const place = /^p(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))?.[1];
  if (place !== undefined && writeCursor(Number(place)) === cursor) return Number(place);
  throw new CountersignError('invalid', `${field}: invalid cursor. Use the "next" value of a page`, { field });
}
