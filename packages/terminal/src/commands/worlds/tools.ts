import { readAll } from '@countersign/client';
import type { ListedTool } from '@countersign/protocol';
import type { Command } from 'commander';
import { clientIn, findThing } from '../../find-things.js';
import type { Register } from '../register.js';
import { showList, showThing } from '../show-list.js';
import { withHelp, WORLD } from '../../words/help.js';
import { toolsHelp as help } from '../../words/help-worlds.js';
import { results } from '../../words/results.js';

/** `countersign tools`: the tools that agents can call. */
export function addTools(program: Command, register: Register): void {
  const tools = program.command('tools').description(help.about);
  const inWorld = (command: Command): Command => command.option('-w, --world <world>', WORLD);
  register<{ world?: string }>(
    withHelp(inWorld(tools.command('list', { isDefault: true })), help.list),
    async (context, { options }) => {
      const { client, world } = await clientIn(context, options.world);
      const columns = [
        { title: 'name', of: ({ name }: ListedTool) => name },
        {
          title: 'approval',
          // An untrusted tool's own declarations are ignored (CALL1).
          of: ({ approval, trusted }: ListedTool) => (trusted && approval?.required !== true ? 'no' : 'yes'),
        },
        {
          title: 'read-only',
          of: ({ readOnly, trusted }: ListedTool) => (readOnly === true && trusted ? 'yes' : ''),
        },
        { title: 'trusted', of: ({ trusted }: ListedTool) => (trusted ? 'yes' : 'no') },
        { title: 'runs', of: ({ location }: ListedTool) => results.toolRuns(location === 'client') },
        { title: 'description', of: ({ description }: ListedTool) => description },
      ];
      showList(context, await readAll((page) => client.tools(world, page)), columns, results.noTools(world));
    },
  );
  register<{ world?: string }>(
    withHelp(inWorld(tools.command('show').argument('<tool>')), help.show),
    async (context, { args, options }) => {
      const { client, world } = await clientIn(context, options.world);
      const all = await readAll((page) => client.tools(world, page));
      const tools = all.map((tool) => ({ id: tool.name, tool }));
      showThing(context, findThing(tools, args[0] ?? '', { what: 'tool', world }).tool);
    },
  );
}
