import { readAll } from '@countersign/client';
import type { Command } from 'commander';
import { CommandError } from '../../command-error.js';
import type { CommandContext } from '../../context.js';
import { findWorld } from '../../find-things.js';
import { suggestion } from '../../text/suggest.js';
import { errors } from '../../words/errors.js';
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
  const client = await context.client();
  const { id } = await findWorld(client, world);
  const names = (await readAll((page) => client.mcpServers(id, page))).map((server) => server.name);
  if (!names.includes(name)) throw new CommandError(errors.notFoundIn('MCP server', name, id, suggestion(name, names)));
  return { world: id, name };
}
