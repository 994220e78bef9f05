import { ClientError, isLocalLink, readAll, type Client } from '@countersign/client';
import { nearest, type Agent, type Chat, type World } from '@countersign/protocol';
import { CommandError } from './command-error.js';
import type { CommandContext } from './context.js';
import { worldsOf } from './project/world-of-folder.js';
import { suggestion } from './text/suggest.js';
import { errors } from './words/errors.js';

/** The world with this name or id. Without a name, the one of the current folder or else the only one (TERM3.10). */
export async function findWorld(
  client: Pick<Client, 'url' | 'worlds'>,
  name: string | undefined,
  folder = process.cwd(),
): Promise<World> {
  return chooseWorld(await readAll((page) => client.worlds(page)), name, { url: client.url, folder });
}

/** A client, and the id of the world that a command names; see `findWorld`. */
export async function clientIn(
  context: Pick<CommandContext, 'client'>,
  name: string | undefined,
): Promise<{ client: Client; world: string }> {
  const client = await context.client();
  return { client, world: (await findWorld(client, name)).id };
}

/** See `findWorld`. */
export function chooseWorld(
  worlds: readonly World[],
  name: string | undefined,
  { url, folder }: { url: string; folder: string },
): World {
  if (name !== undefined) return findThing(worlds, name, { what: 'world' });
  if (worlds.length === 0) throw new CommandError(errors.noWorlds);
  // Folders of a server on another machine are not ours.
  const here = isLocalLink(url) ? worldsOf(worlds, folder) : [];
  const [only, ...others] = here.length === 0 ? worlds : here;
  if (only !== undefined && others.length === 0) return only;
  const known = suggestion(
    '',
    (here.length === 0 ? worlds : here).map(({ id }) => id),
  );
  throw new CommandError(here.length === 0 ? errors.whichWorld(known) : errors.severalHere(known));
}

/** The named world, or all worlds. */
export async function findWorlds(client: Client, name: string | undefined): Promise<World[]> {
  return name === undefined ? await readAll((page) => client.worlds(page)) : [await findWorld(client, name)];
}

export async function findAgent(client: Client, world: string, name: string): Promise<Agent> {
  return findThing(await readAll((page) => client.agents(world, page)), name, { what: 'agent' });
}

/** The chat with this id; `last` is the newest. */
export async function findChat(client: Client, world: string, id: string): Promise<Chat> {
  if (id === 'last') {
    const newest = (await client.chats(world, { newest: true, limit: 1 })).items.at(-1);
    if (newest === undefined) throw new CommandError(errors.noChats(world));
    return newest;
  }
  try {
    return await client.chat(world, id);
  } catch (error) {
    if (!(error instanceof ClientError) || error.status !== 404) throw error;
    const chats = await readAll((page) => client.chats(world, page));
    const near = nearest(
      id,
      chats.map((chat) => chat.id),
    );
    const hint = near === undefined ? errors.seeChats(world) : errors.didYouMean(near);
    return findThing(chats, id, { what: 'chat', world, hint });
  }
}

/** Shorter ones would soon start another id too. */
const SHORTEST_START = 4;

/** The thing with this id or name, or the only one whose id starts like this (TERM3.11). */
export function findThing<T extends { id: string; name?: string }>(
  things: readonly T[],
  word: string,
  { what, world, hint }: { what: string; world?: string; hint?: string },
): T {
  const exact = things.find(({ id }) => id === word);
  if (exact !== undefined) return exact;
  const wanted = word.toLowerCase();
  const named = things.filter(({ id, name }) => id.toLowerCase() === wanted || name?.toLowerCase() === wanted);
  const isLong = word.replace(/^[a-z]+_/, '').length >= SHORTEST_START;
  const found = named.length > 0 || !isLong ? named : things.filter(({ id }) => id.startsWith(word));
  const [only, ...others] = found;
  const ids = (found.length > 0 ? found : things).map(({ id }) => id);
  if (only === undefined) {
    const why = hint ?? suggestion(word, ids);
    throw new CommandError(
      world === undefined ? errors.notFound(what, word, why) : errors.notFoundIn(what, word, world, why),
    );
  }
  if (others.length > 0) throw new CommandError(errors.several(what, word, ids));
  return only;
}
