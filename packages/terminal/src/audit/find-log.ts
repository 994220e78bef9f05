import type { Client } from '@countersign/client';
import type { AuditEntry } from '@countersign/protocol';
import { CommandError } from '../command-error.js';
import { findWorld, findWorlds } from '../find-things.js';

const PAGE = 500;

/** Finds the id of a log. A log is kept after its world is deleted (A16), so a deleted world is found by its id. */
export async function findLog(client: Client, name: string | undefined): Promise<string> {
  try {
    return (await findWorld(client, name)).id;
  } catch (error) {
    if (name === undefined || !(error instanceof CommandError)) throw error;
    const { items } = await client.audit(name, { limit: 1 }).catch(() => ({ items: [] }));
    if (items.length === 0) throw error;
    return name;
  }
}

/** The named log, or the logs of all worlds. */
export async function findLogs(client: Client, name: string | undefined): Promise<string[]> {
  if (name !== undefined) return [await findLog(client, name)];
  return (await findWorlds(client, undefined)).map(({ id }) => id);
}

/** Reads the records of a log page by page, because it may be larger than memory. */
export async function* recordsOf(client: Client, world: string): AsyncGenerator<AuditEntry, void> {
  let place: { after?: string } | undefined = {};
  while (place !== undefined) {
    const page: Awaited<ReturnType<Client['audit']>> = await client.audit(world, { limit: PAGE, ...place });
    yield* page.items;
    place = page.next === undefined ? undefined : { after: page.next };
  }
}
