import { z } from 'zod';
import { api, field } from '../input/field.js';
import { HIDDEN_IN_PROSE } from '../text/hidden.js';

const UNCLEAR = new RegExp(String.raw`[\t\n]|${HIDDEN_IN_PROSE}`, 'u');

/** A name on one visible line. It can't be mistaken for another name because of spaces or invisible characters. */
const nameSchema = z
  .string()
  .min(1)
  .max(200)
  .refine((name) => name.trim() === name && !UNCLEAR.test(name), 'must be one line of visible characters');

/** Who did something (LOG1). `token`: a shared token that belongs to nobody in particular. `system`: Countersign itself. */
export const whoSchema = z.strictObject({
  kind: field(z.enum(['person', 'agent', 'token', 'system']), 'person, agent, token or system.'),
  id: field(z.string().min(1).max(200), 'Id of the person, agent or token.'),
  name: field(nameSchema.clone(), 'Name of the person, agent or token.'),
});
api.add(whoSchema, { description: 'Who did it.' });
/** Who did something. */
export type Who = z.infer<typeof whoSchema>;

/** Who signed, and from where. Taken from the connection, never from the request body (LOG1). */
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

/** Of several people, each once. One person has the same form as in `whoText`. */
export function whosText(all: readonly Who[]): string {
  const unique = [...new Map(all.map((who) => [`${who.kind} ${who.id}`, whoText(who)])).values()];
  return unique.length === 1 ? (unique[0] ?? '') : `[${unique.join(',')}]`;
}

/** Reads what `whosText` or `whoText` wrote. */
export function readWhos(stored: string): readonly Who[] {
  const read = JSON.parse(stored) as Who | readonly Who[];
  return 'kind' in read ? [read] : read;
}

/** Reads what `whoText` wrote. */
export function readWho(stored: string): Who {
  return JSON.parse(stored) as Who;
}
