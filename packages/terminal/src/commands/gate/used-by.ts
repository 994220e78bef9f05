import type { Client } from '@countersign/client';
import { findPerson } from '../machine/find-person.js';

/** Who uses a program: the named person, or else the one who runs this command. Nobody if it runs with a shared token. */
export async function usedBy(client: Client, name: string | undefined): Promise<{ usedBy?: string }> {
  if (name !== undefined) return { usedBy: (await findPerson(client, name)).id };
  const { kind, id } = await client.me();
  return kind === 'person' ? { usedBy: id } : {};
}
