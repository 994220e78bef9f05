import { readAll } from '@countersign/client';
import type { McpServer, McpServerChange, NewMcpServer } from '@countersign/protocol';
import type { Command } from 'commander';
import { CommandError } from '../command-error.js';
import { confirm } from '../confirm.js';
import { findWorld } from '../find-things.js';
import { plainLine } from '../text/plain-text.js';
import { suggestion } from '../text/suggest.js';
import type { CommandContext } from '../context.js';
import { again } from './serve.js';
import type { Register } from './register.js';
import { showDone, showList, showThing } from './show-list.js';
import { tryServer } from './try-server.js';

interface McpFlags {
  world?: string;
  serverUrl?: string;
  env?: string[];
  header?: string[];
  trusted?: boolean;
  enabled?: boolean;
  network?: boolean;
  accept?: true;
  unset?: string[];
  yes?: boolean;
}

/** `countersign mcp` (X3): where further tools come from. */
export function addMcp(program: Command, register: Register): void {
  const mcp = program.command('mcp').description('Manage the MCP servers of a world, which add tools.');
  const inWorld = (command: Command): Command => command.option('-w, --world <world>', 'the world');
  register<McpFlags>(
    inWorld(mcp.command('list', { isDefault: true }))
      .description('List the MCP servers of a world.')
      .addHelpText('after', '\nExample:\n  countersign mcp list -w ops'),
    async (context, { options }) => {
      const client = await context.client();
      const { id: world } = await findWorld(client, options.world);
      const all = await readAll((page) => client.mcpServers(world, page));
      const columns = [
        { title: 'name', of: ({ name }: McpServer) => name },
        { title: 'status', of: ({ status, enabled }: McpServer) => (enabled ? status : 'off') },
        { title: 'trusted', of: ({ trusted }: McpServer) => (trusted ? 'yes' : 'no') },
        { title: 'tools', of: ({ tools }: McpServer) => String(tools.length) },
        { title: 'runs', of: ({ command, args, url }: McpServer) => url ?? [command, ...(args ?? [])].join(' ') },
        { title: 'error', of: ({ error }: McpServer) => error ?? '' },
      ];
      showList(
        context,
        all,
        columns,
        `"${world}" has no MCP server. Add one with: countersign mcp add NAME -w ${world} -- COMMAND …`,
      );
    },
  );
  register<McpFlags>(
    inWorld(mcp.command('show').argument('<server>'))
      .description('Show an MCP server with its tools, its last output and what changed.')
      .addHelpText('after', '\nExample:\n  countersign mcp show files -w ops'),
    async (context, { args, options }) => {
      const { world, name } = await find(context, options.world, args[0]);
      showThing(context, (await (await context.client()).mcpServer(world, name)).value);
    },
  );
  register<McpFlags>(
    withFlags(inWorld(mcp.command('add').argument('<server>').argument('[command...]', 'what to run, after --')))
      .description('Add an MCP server, a command or a URL, start it, and say what it offers.')
      .option('--server-url <url>', 'URL of an MCP server over HTTP, instead of a command')
      .addHelpText(
        'after',
        '\nExamples:\n  countersign mcp add files -w ops --network -- npx -y @modelcontextprotocol/server-filesystem .\n      (npx downloads the package, so it needs --network)\n  countersign mcp add wiki -w ops --server-url https://wiki.example/mcp --header "Authorization=Bearer …"\nExit codes: 0 it runs (or is added turned off), 1 it did not start; it stays in the list, so that you can fix it.',
      ),
    async (context, { args, options }) => {
      const client = await context.client();
      const { id: world } = await findWorld(client, options.world);
      const added = await client.addMcpServer(world, readDefinition(args, options));
      return await tryServer(context, world, added, `Added "${added.name}" to "${world}"`);
    },
  );
  register<McpFlags>(
    withFlags(
      inWorld(mcp.command('edit').argument('<server>').argument('[command...]', 'what to run instead, after --')),
    )
      .description('Edit an MCP server, start it, and say what it offers. Variables and headers you don’t name stay.')
      .option('--unset <name>', 'a variable or header to remove; repeatable', again)
      .option('--server-url <url>', 'its URL')
      .option('--accept', 'accept its current tool definitions')
      .addHelpText('after', `\nExample:\n  countersign mcp edit files -w ops --no-enabled${EXIT_CODES}`),
    async (context, { args, options }) => {
      const { world, name } = await find(context, options.world, args[0]);
      const { serverUrl, trusted, enabled, network, accept } = options;
      const client = await context.client();
      const before = await client.mcpServer(world, name);
      const [command, ...words] = args.slice(1);
      const change: McpServerChange = {
        ...(command === undefined ? {} : { command, args: words }),
        ...(serverUrl === undefined ? {} : { url: serverUrl }),
        ...changedPairs(before.value, options),
        ...(trusted === undefined ? {} : { trusted }),
        ...(enabled === undefined ? {} : { enabled }),
        ...(network === undefined ? {} : { network }),
        ...(accept === undefined ? {} : { accept: true }),
      };
      if (Object.keys(change).length === 0) throw new CommandError('Nothing to change. Use flags; --help lists them.');
      // What is accepted is what is printed here, and nothing that came after it was read.
      const ifMatch = accept === undefined || before.etag === undefined ? {} : { ifMatch: before.etag };
      const changed = await client.updateMcpServer(world, name, change, ifMatch);
      if (accept !== undefined && !context.options.json)
        for (const { tool, difference } of before.value.changed)
          context.note(`  accepted ${plainLine(`${tool}: ${difference}`)}`);
      return await tryServer(context, world, changed, `Changed "${name}" in "${world}"`);
    },
  );
  register<McpFlags>(
    inWorld(mcp.command('restart').argument('<server>'))
      .description('Restart an MCP server, and say what it offers.')
      .addHelpText('after', `\nExample:\n  countersign mcp restart files -w ops${EXIT_CODES}`),
    async (context, { args, options }) => {
      const { world, name } = await find(context, options.world, args[0]);
      const client = await context.client();
      if (!(await client.mcpServer(world, name)).value.enabled)
        throw new CommandError(`"${name}" is off: countersign mcp edit ${name} -w ${world} --enabled`);
      await client.updateMcpServer(world, name, { enabled: false });
      const changed = await client.updateMcpServer(world, name, { enabled: true });
      return await tryServer(context, world, changed, `Restarted "${name}" in "${world}"`);
    },
  );
  register<McpFlags>(
    inWorld(mcp.command('remove').argument('<server>'))
      .description('Remove an MCP server and its tools.')
      .option('--yes', 'skip the confirmation')
      .addHelpText('after', '\nExample:\n  countersign mcp remove files -w ops'),
    async (context, { args, options }) => {
      const { world, name } = await find(context, options.world, args[0]);
      await confirm(context, {
        yes: options.yes,
        what: `This removes the server "${name}" and its tools from "${world}".`,
      });
      await (await context.client()).removeMcpServer(world, name);
      showDone(context, `Removed "${name}".`, { removed: name });
    },
  );
}

const EXIT_CODES = '\nExit codes: 0 it runs (or is off), 1 it did not start; the change is saved.';

function withFlags(command: Command): Command {
  return command
    .option('--env <name=value>', 'an environment variable; repeatable', again)
    .option('--header <name=value>', 'an HTTP header; repeatable', again)
    .option(
      '--trusted',
      'run tools that declare themselves read-only without approval; other tools still need approval or a rule',
    )
    .option('--no-trusted', 'require approval for every tool unless a rule allows it')
    .option('--enabled', 'turn it on')
    .option('--no-enabled', 'turn it off')
    .option('--network', 'let it reach public hosts from its sandbox')
    .option('--no-network', 'no network (default)');
}

function readDefinition([name = '', ...words]: readonly string[], options: McpFlags): NewMcpServer {
  const { serverUrl: url, trusted, enabled, network, env, header } = options;
  const common = {
    name,
    ...(trusted === undefined ? {} : { trusted }),
    ...(enabled === undefined ? {} : { enabled }),
  };
  const [command, ...args] = words;
  if (url !== undefined) {
    if (command !== undefined) throw new CommandError('Either a command or --server-url, not both.');
    return { ...common, transport: 'http', url, headers: readPairs(header ?? [], '--header') };
  }
  if (command === undefined) throw new CommandError('Give a command after --, or a URL with --server-url.');
  return {
    ...common,
    transport: 'stdio',
    command,
    args,
    env: readPairs(env ?? [], '--env'),
    ...(network === undefined ? {} : { network }),
  };
}

function readPairs(words: readonly string[], flag: string): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf('=');
      // Not the word itself: it may be a secret that was mistyped.
      if (at < 1) throw new CommandError(`${flag} must look like NAME=VALUE.`);
      return [word.slice(0, at), word.slice(at + 1)];
    }),
  );
}

/** What is stored never comes out: a name that stays goes back with `null`, which keeps its value. */
function changedPairs(server: McpServer, { env, header, unset = [] }: McpFlags): McpServerChange {
  const known = [...(server.env ?? []), ...(server.headers ?? [])];
  const unknown = unset.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new CommandError(`There is no variable or header "${unknown}" to remove. ${suggestion(unknown, known)}`);
  const merged = (
    stored: readonly string[] = [],
    given: readonly string[] = [],
    flag: string,
  ): Record<string, string | null> => ({
    ...Object.fromEntries(stored.filter((name) => !unset.includes(name)).map((name) => [name, null])),
    ...readPairs(given, flag),
  });
  const touches = (stored: readonly string[] = []): boolean => unset.some((name) => stored.includes(name));
  return {
    ...(env === undefined && !touches(server.env) ? {} : { env: merged(server.env, env, '--env') }),
    ...(header === undefined && !touches(server.headers)
      ? {}
      : { headers: merged(server.headers, header, '--header') }),
  };
}

async function find(
  context: CommandContext,
  world: string | undefined,
  name = '',
): Promise<{ world: string; name: string }> {
  const client = await context.client();
  const { id } = await findWorld(client, world);
  const names = (await readAll((page) => client.mcpServers(id, page))).map((server) => server.name);
  if (!names.includes(name))
    throw new CommandError(`There is no MCP server "${name}" in "${id}". ${suggestion(name, names)}`);
  return { world: id, name };
}
