import { readAll } from '@countersign/client';
import type { ListedTool } from '@countersign/protocol';
import type { Command } from 'commander';
import { CommandError } from '../command-error.js';
import { findWorld } from '../find-things.js';
import { suggestion } from '../text/suggest.js';
import type { Register } from './register.js';
import { showList, showThing } from './show-list.js';

/** `countersign tools`: what agents can ask for. */
export function addTools(program: Command, register: Register): void {
  const tools = program.command('tools').description('List and show the tools of a world.');
  const inWorld = (command: Command): Command => command.option('-w, --world <world>', 'the world');
  register<{ world?: string }>(
    inWorld(tools.command('list', { isDefault: true }))
      .description('List the tools of a world.')
      .addHelpText('after', '\nExample:\n  countersign tools list -w harbour'),
    async (context, { options }) => {
      const client = await context.client();
      const { id: world } = await findWorld(client, options.world);
      const columns = [
        { title: 'name', of: ({ name }: ListedTool) => name },
        {
          title: 'approval',
          // What an untrusted tool declares about itself does not count (A1).
          of: ({ approval, trusted }: ListedTool) => (trusted && approval?.required !== true ? 'no' : 'yes'),
        },
        { title: 'only reads', of: ({ readOnly }: ListedTool) => (readOnly === true ? 'yes' : '') },
        { title: 'trusted', of: ({ trusted }: ListedTool) => (trusted ? 'yes' : 'no') },
        { title: 'runs', of: ({ location }: ListedTool) => (location === 'client' ? 'in a client' : 'here') },
        { title: 'description', of: ({ description }: ListedTool) => description },
      ];
      showList(context, await readAll((page) => client.tools(world, page)), columns, `"${world}" has no tool.`);
    },
  );
  register<{ world?: string }>(
    inWorld(tools.command('show').argument('<tool>'))
      .description('Show a tool with its parameters.')
      .addHelpText('after', '\nExample:\n  countersign tools show shell_cmd -w harbour'),
    async (context, { args, options }) => {
      const client = await context.client();
      const { id: world } = await findWorld(client, options.world);
      const all = await readAll((page) => client.tools(world, page));
      const found = all.find(({ name }) => name === args[0]);
      if (found === undefined) {
        const names = all.map(({ name }) => name);
        throw new CommandError(
          `There is no tool "${args[0] ?? ''}" in "${world}". ${suggestion(args[0] ?? '', names)}`,
        );
      }
      showThing(context, found);
    },
  );
}
