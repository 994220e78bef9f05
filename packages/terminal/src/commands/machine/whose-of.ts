import type { Client } from '@countersign/client';
import { CommandError } from '../../command-error.js';
import { EXIT } from '../../exit-codes.js';
import { errors } from '../../words/errors.js';
import { findPerson } from './find-person.js';

/** The id of the person whose sessions or tokens are meant: the one named with `--person`, or yours. */
export async function whoseOf(client: Client, word: string | undefined): Promise<string> {
  if (word !== undefined) return (await findPerson(client, word)).id;
  const me = await client.me();
  if (me.kind === 'person') return me.id;
  throw new CommandError(errors.needsPerson, EXIT.usage);
}
