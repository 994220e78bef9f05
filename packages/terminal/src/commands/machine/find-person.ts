import { readAll, type Client } from '@countersign/client';
import type { Person } from '@countersign/protocol';
import { findThing } from '../../find-things.js';

/** By id, or else by name, ignoring case. */
export async function findPerson(client: Client, word: string): Promise<Person> {
  const all = await readAll(() => client.people());
  return findThing(all, word, { what: 'person' });
}
