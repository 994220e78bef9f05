import { ClientError, isLocalLink, readAll, type Client } from '@countersign/client';
import { nearest, type Agent, type Chat, type World } from '@countersign/protocol';
import { CommandError } from './command-error.js';
import { worldsOf } from './project/world-of-folder.js';
import { suggestion } from './text/suggest.js';
import { errors } from './words/errors.js';

/** The world with this name or id. Without a name, the one of the current folder or else the only one (X3.9). */
export async function findWorld(client: Client, name: string | undefined, folder = process.cwd()): Promise<World> {
  const worlds = await readAll((page) => client.worlds(page));
  if (name !== undefined) return named(worlds, name, 'world');
  if (worlds.length === 0) throw new CommandError(errors.noWorlds);
  // Folders of a server on another machine are not ours.
  const here = isLocalLink(client.url) ? worldsOf(worlds, folder) : [];
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
  return named(await readAll((page) => client.agents(world, page)), name, 'agent');
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
    const ids = (await readAll((page) => client.chats(world, page))).map((chat) => chat.id);
    const near = nearest(id, ids);
    const hint = near === undefined ? errors.seeChats(world) : errors.didYouMean(near);
    throw new CommandError(errors.notFoundIn('chat', id, world, hint), undefined, error);
  }
}

function named<T extends { id: string; name: string }>(things: readonly T[], name: string, what: string): T {
  const wanted = name.toLowerCase();
  const found =
    things.find(({ id }) => id === name) ??
    things.find(({ id, name: known }) => id.toLowerCase() === wanted || known.toLowerCase() === wanted);
  if (found !== undefined) return found;
  const ids = things.map(({ id }) => id);
  throw new CommandError(errors.notFound(what, name, suggestion(name, ids)));
}
