import { readAll } from '@countersign/client';
import type { Command } from 'commander';
import type { CommandContext } from '../../context.js';
import { clientIn, findThing } from '../../find-things.js';
import { WORLD } from '../../words/help.js';

export interface WorldFlag {
  world?: string;
}

export function inWorld(command: Command): Command {
  return command.option('-w, --world <world>', WORLD);
}

export async function findServer(
  context: CommandContext,
  world: string | undefined,
  name = '',
): Promise<{ world: string; name: string }> {
  const { client, world: id } = await clientIn(context, world);
  const servers = (await readAll((page) => client.mcpServers(id, page))).map((server) => ({ id: server.name }));
  return { world: id, name: findThing(servers, name, { what: 'MCP server', world: id }).id };
}
