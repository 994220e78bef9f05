import { ClientError, type Client } from '@countersign/client';
import { SERVER_LOG, type AuditEntry } from '@countersign/protocol';
import { CommandError } from '../command-error.js';
import { EXIT } from '../exit-codes.js';
import { findWorld, findWorlds } from '../find-things.js';
import { auditWords } from '../words/audit.js';
import { errors } from '../words/errors.js';

const PAGE = 500;

/** Finds the id of a log. A log is kept after its world is deleted (LOG1), so a deleted world is found by its id. */
export async function findLog(client: Client, name: string | undefined): Promise<string> {
  if (name === SERVER_LOG) return name;
  try {
    return (await findWorld(client, name)).id;
  } catch (error) {
    if (name === undefined || !(error instanceof CommandError)) throw error;
    const { items } = await client.audit(name, { limit: 1 }).catch(() => ({ items: [] }));
    if (items.length === 0) throw error;
    return name;
  }
}

/** The world's log, or the server's with `--server`. */
export function chosenLog({ world, server }: { world?: string; server?: boolean }): string | undefined {
  if (server !== true) return world;
  if (world !== undefined) throw new CommandError(errors.worldOrServer, EXIT.usage);
  return SERVER_LOG;
}

/** How a log is called in texts. */
export function logName(id: string): string {
  return id === SERVER_LOG ? auditWords.serverLog : id;
}

/** The named log, or the logs of all worlds and, for admins, of the server. */
export async function findLogs(client: Client, name: string | undefined): Promise<string[]> {
  if (name !== undefined) return [await findLog(client, name)];
  const worlds = (await findWorlds(client, undefined)).map(({ id }) => id);
  return (await hasServerLog(client)) ? [...worlds, SERVER_LOG] : worlds;
}

/** False for people who may not read it, and before its first record. */
async function hasServerLog(client: Client): Promise<boolean> {
  try {
    return (await client.audit(SERVER_LOG, { limit: 1 })).items.length > 0;
  } catch (error) {
    if (error instanceof ClientError && (error.status === 403 || error.status === 404)) return false;
    throw error;
  }
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
