import { readAll, type RunClient } from '@countersign/client';
import { nameFrom, type World } from '@countersign/protocol';
import { CommandError } from '../../command-error.js';
import type { CommandContext } from '../../context.js';
import { chooseWorld } from '../../find-things.js';
import { confirm } from '../../input/confirm.js';
import { realPath } from '../../project/project-folder.js';
import { worldsOf } from '../../project/world-of-folder.js';
import { runWords as words } from '../../words/run.js';
import { holdsHome } from '../gate/gate-world.js';

/** The world of a run: the named one, or that of this folder. Offers to create one (RUN4). Never another one, as other commands would use. */
export async function findRunWorld(
  context: CommandContext,
  client: RunClient,
  name: string | undefined,
): Promise<World & { folder: string }> {
  const world = await find(context, client, name);
  if (world.folder === undefined || realPath(world.folder) === undefined)
    throw new CommandError(words.noFolder(world.id));
  return { ...world, folder: world.folder };
}

async function find(context: CommandContext, client: RunClient, name: string | undefined): Promise<World> {
  const folder = realPath(process.cwd()) ?? process.cwd();
  const worlds = await readAll((page) => client.worlds(page));
  if (name !== undefined || worldsOf(worlds, folder).length > 0)
    return chooseWorld(worlds, name, { url: client.url, folder });
  if (holdsHome(folder)) throw new CommandError(words.holdsHome(folder));
  const newName = nameFrom(folder, 'project') || 'Project';
  if (!context.isPerson) throw new CommandError(words.noWorld(folder, newName));
  await confirm(context, { yes: undefined, what: words.createWorld(folder, newName) });
  return await client.createWorld({ name: newName, workingDirectory: folder, mode: 'ask' });
}
