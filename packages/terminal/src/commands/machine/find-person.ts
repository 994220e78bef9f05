import { readAll, type Client } from '@countersign/client';
import type { Person } from '@countersign/protocol';
import { CommandError } from '../../command-error.js';
import { EXIT } from '../../exit-codes.js';
import { suggestion } from '../../text/suggest.js';
import { errors } from '../../words/errors.js';

/** By id, or else by name, ignoring case. */
export async function findPerson(client: Client, word: string): Promise<Person> {
  const all = await readAll(() => client.people());
  const found = all.find(({ id }) => id === word) ?? all.find(({ name }) => name.toLowerCase() === word.toLowerCase());
  if (found !== undefined) return found;
  const ids = all.map(({ id }) => id);
  throw new CommandError(errors.notFound('person', word, suggestion(word, ids)), EXIT.usage);
}
