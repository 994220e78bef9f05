import type { McpContext } from '@countersign/protocol';
import type { Command } from 'commander';
import { plainLine } from '../../text/plain-text.js';
import { withHelp } from '../../words/help.js';
import { mcpHelp as help } from '../../words/help-worlds.js';
import { results } from '../../words/results.js';
import { again } from '../read-flags.js';
import type { Register } from '../register.js';
import { showList } from '../show-list.js';
import { findServer, inWorld, type WorldFlag } from './find-server.js';
import { readPairs } from './mcp-definition.js';

/** `countersign mcp context`, `prompt` and `resource`: what a server offers besides tools. */
export function addMcpContext(mcp: Command, register: Register): void {
  addContext(mcp, register);
  addPrompt(mcp, register);
  addResource(mcp, register);
}

function addContext(mcp: Command, register: Register): void {
  register<WorldFlag>(
    withHelp(inWorld(mcp.command('context').argument('<server>')), help.context),
    async (context, { args, options }) => {
      const { world, name } = await findServer(context, options.world, args[0]);
      const { prompts, resources } = await (await context.client()).mcpContext(world, name);
      if (context.options.json) return context.json({ prompts, resources });
      const rows = [
        ...prompts.map((prompt) => ({ kind: 'prompt', name: withArguments(prompt), about: prompt.description })),
        ...resources.map(({ uri, name: title, description }) => ({
          kind: 'resource',
          name: uri,
          about: description ?? title,
        })),
      ];
      const columns = [
        { title: 'kind', of: ({ kind }: (typeof rows)[number]) => kind },
        { title: 'name', of: (row: (typeof rows)[number]) => plainLine(row.name) },
        { title: 'description', of: ({ about }: (typeof rows)[number]) => plainLine(about ?? '') },
      ];
      showList(context, rows, columns, results.mcpNoContext(name));
    },
  );
}

function addPrompt(mcp: Command, register: Register): void {
  register<WorldFlag & { arg?: string[] }>(
    withHelp(
      inWorld(mcp.command('prompt').argument('<server>').argument('<prompt>', help.promptName)),
      help.prompt,
    ).option('--arg <name=value>', help.arg, again),
    async (context, { args, options }) => {
      const { world, name } = await findServer(context, options.world, args[0]);
      const wanted = { prompt: args[1] ?? '', arguments: await readPairs(context, options.arg ?? [], '--arg') };
      const text = await (await context.client()).readMcpContext(world, name, wanted);
      if (context.options.json) context.json({ text });
      else context.put(`${text}\n`, 'text');
    },
  );
}

function addResource(mcp: Command, register: Register): void {
  register<WorldFlag>(
    withHelp(inWorld(mcp.command('resource').argument('<server>').argument('<uri>')), help.resource),
    async (context, { args, options }) => {
      const { world, name } = await findServer(context, options.world, args[0]);
      const text = await (await context.client()).readMcpContext(world, name, { uri: args[1] ?? '' });
      if (context.options.json) context.json({ text });
      else context.put(`${text}\n`, 'text');
    },
  );
}

/** `code_review(code, style?)` */
function withArguments({ name, arguments: args }: McpContext['prompts'][number]): string {
  return args.length === 0
    ? name
    : `${name}(${args.map((arg) => `${arg.name}${arg.isRequired ? '' : '?'}`).join(', ')})`;
}
