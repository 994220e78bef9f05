import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { isLocalLink, readAll, type Client } from '@countersign/client';
import { isOtherFolders, nameFrom, type World } from '@countersign/protocol';
import { CommandError } from '../../command-error.js';
import { chooseWorld, findThing } from '../../find-things.js';
import { realPath } from '../../project/project-folder.js';
import { worldsOf } from '../../project/world-of-folder.js';
import { gate } from '../../words/gate.js';
import { runWords } from '../../words/run.js';

/** The world that gets the calls of an agent, and the folders from which it gets them. It may not exist yet. */
export interface GateWorld {
  readonly name: string;
  readonly id: string | undefined;
  readonly folders: readonly string[];
  /** Creates it unless it exists. It grants nothing: mode `ask`, no rules. */
  create(): Promise<string>;
}

/** No world may have such a folder (SAFE1). */
export function holdsHome(folder: string): boolean {
  const home = realPath(homedir()) ?? homedir();
  return folder === dirname(folder) || home === folder || home.startsWith(`${folder}/`);
}

/** The named world, that of the folder, or a new one for it. Never another one, so never the demo (GATE7). */
export async function findGateWorld(
  client: Client,
  { named, folder: given }: { named: string | undefined; folder: string | undefined },
): Promise<GateWorld> {
  const folder = realPath(resolve(given ?? '.'));
  if (folder === undefined) throw new CommandError(gate.noFolder(resolve(given ?? '.')));
  const worlds = await readAll((page) => client.worlds(page));
  // Folders of a server on another machine are not ours.
  const isLocal = isLocalLink(client.url);
  const folderOf = (world: World): string[] => {
    const own = isLocal && world.folder !== undefined ? realPath(world.folder) : undefined;
    return own === undefined ? [] : [own];
  };
  if (named !== undefined) {
    const world = findThing(worlds, named, { what: 'world' });
    const own = folderOf(world);
    const isIn = own.some((one) => folder === one || folder.startsWith(`${one}/`));
    return existing(world, [...own, ...(isIn || holdsHome(folder) ? [] : [folder])]);
  }
  const here = isLocal ? worldsOf(worlds, folder) : [];
  if (here.length > 0) {
    const world = chooseWorld(here, undefined, { url: client.url, folder });
    return existing(world, folderOf(world));
  }
  if (holdsHome(folder)) throw new CommandError(runWords.holdsHome(folder));
  const name = nameFrom(folder, 'project') || 'Project';
  const place = isLocal ? { workingDirectory: folder } : {};
  const create = async (): Promise<string> => (await client.createWorld({ name, mode: 'ask', ...place })).id;
  return { name, id: undefined, folders: [folder], create };
}

/** The world for calls from all other folders. Its own folder is no project, so nothing is predicted there. */
export async function findOtherFolders(client: Client): Promise<GateWorld> {
  const name = gate.otherFolders;
  const worlds = await readAll((page) => client.worlds(page));
  const known = worlds.find(isOtherFolders);
  if (known !== undefined) return existing(known, []);
  return { name, id: undefined, folders: [], create: async () => (await client.createWorld({ name, mode: 'ask' })).id };
}

function existing({ id, name }: World, folders: readonly string[]): GateWorld {
  return { name, id, folders, create: () => Promise.resolve(id) };
}
