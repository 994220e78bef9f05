import { z } from 'zod';
import { HIDDEN_IN_PROSE } from '../text/hidden.js';

const UNCLEAR = new RegExp(String.raw`[\t\n]|${HIDDEN_IN_PROSE}`, 'u');

/** A name on one visible line. It can't be mistaken for another name because of spaces or invisible characters. */
const nameSchema = z
  .string()
  .min(1)
  .max(200)
  .refine((name) => name.trim() === name && !UNCLEAR.test(name), 'must be one line of visible characters');

/** Who did something (A16). `token`: a shared token that belongs to nobody in particular. `system`: Countersign itself. */
export const whoSchema = z.strictObject({
  kind: z.enum(['person', 'agent', 'token', 'system']),
  /** Empty in records from older versions, which only have a name. */
  id: z.string().max(200),
  name: nameSchema,
});
/** Who did something. */
export type Who = z.infer<typeof whoSchema>;

/** Who signed, and from where. Taken from the connection, never from the request body (A16). */
export const signerSchema = z.strictObject({
  who: whoSchema,
  /** The device or client, such as "Chrome on Linux", "terminal" or a client's label. */
  via: z.string().min(1).max(200),
  /** The id of the registered client, if one sent the request. */
  client: z.string().min(1).max(200).exactOptional(),
});
/** Who signed, and from where. */
export type Signer = z.infer<typeof signerSchema>;

/** Countersign itself: an approval expired, or an administrator's rule released a call. */
export const SYSTEM: Who = Object.freeze({ kind: 'system', id: 'system', name: 'system' });

/** The stored form of `Who`. The order of the keys is fixed. */
export function whoText({ kind, id, name }: Who): string {
  return JSON.stringify({ kind, id, name });
}

/** The id to find someone's records by: in records from older versions, the name. */
export function idOf(stored: string | Who): string {
  const { id, name } = readWho(stored);
  return id === '' ? name : id;
}

/** Reads a stored `Who`. Older versions stored only a name, which may have been that of a person, a token or a browser session. */
export function readWho(stored: string | Who): Who {
  if (typeof stored !== 'string') return stored;
  if (stored === SYSTEM.name) return SYSTEM;
  if (!stored.startsWith('{')) return { kind: 'token', id: '', name: stored };
  try {
    return whoSchema.parse(JSON.parse(stored));
  } catch {
    return { kind: 'token', id: '', name: stored };
  }
}
