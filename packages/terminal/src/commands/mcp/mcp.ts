import { needsSignIn, readAll } from '@countersign/client';
import type { McpServer } from '@countersign/protocol';
import type { Command } from 'commander';
import { confirm } from '../../input/confirm.js';
import type { CommandContext } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { clientIn } from '../../find-things.js';
import { plainLine } from '../../text/plain-text.js';
import { withHelp, YES } from '../../words/help.js';
import { mcpHelp as help } from '../../words/help-worlds.js';
import { results } from '../../words/results.js';
import { again } from '../read-flags.js';
import type { Register } from '../register.js';
import { showDone, showList, showThing } from '../show-list.js';
import { findServer, inWorld, type WorldFlag } from './find-server.js';
import { addMcpContext } from './mcp-context.js';
import { readChange, readDefinition, warnOfSecret, withFlags, type DefinitionFlags } from './mcp-definition.js';
import { importServers, type ImportFlags } from './mcp-import.js';
import { addMcpRun } from './mcp-run.js';
import { addMcpSignIn } from './mcp-login.js';
import { tryServer } from './try-server.js';

/** `countersign mcp` (TERM3). */
export function addMcp(program: Command, register: Register): void {
  const mcp = program.command('mcp').description(help.about);
  addList(mcp, register);
  addShow(mcp, register);
  addAdd(mcp, register);
  addEdit(mcp, register);
  addMcpContext(mcp, register);
  addImport(mcp, register);
  addMcpRun(mcp, register);
  addMcpSignIn(mcp, register);
  addRemove(mcp, register);
}

function addList(mcp: Command, register: Register): void {
  register<WorldFlag>(
    withHelp(inWorld(mcp.command('list', { isDefault: true })), help.list),
    async (context, { options }) => {
      const { client, world } = await clientIn(context, options.world);
      const all = await readAll((page) => client.mcpServers(world, page));
      const columns = [
        { title: 'name', of: ({ name }: McpServer) => name },
        { title: 'status', of: statusText },
        { title: 'trusted', of: ({ trusted }: McpServer) => (trusted ? 'yes' : 'no') },
        { title: 'tools', of: ({ tools }: McpServer) => String(tools.length) },
        { title: 'runs', of: ({ command, args, url }: McpServer) => url ?? [command, ...(args ?? [])].join(' ') },
        { title: 'error', of: (server: McpServer) => (needsSignIn(server) ? '' : (server.error ?? '')) },
      ];
      showList(context, all, columns, results.noMcpServers(world));
    },
  );
}

function addShow(mcp: Command, register: Register): void {
  register<WorldFlag>(
    withHelp(inWorld(mcp.command('show').argument('<server>')), help.show),
    async (context, { args, options }) => {
      const { world, name } = await findServer(context, options.world, args[0]);
      showThing(context, (await (await context.client()).mcpServer(world, name)).value);
    },
  );
}

function addAdd(mcp: Command, register: Register): void {
  register<DefinitionFlags>(
    withFlags(
      withHelp(inWorld(mcp.command('add').argument('<server>').argument('[command...]', help.command)), help.add),
    ).option('--server-url <url>', help.serverUrl),
    async (context, { args, options }) => {
      const { client, world } = await clientIn(context, options.world);
      const definition = await readDefinition(context, args, options);
      const added = await client.addMcpServer(world, definition);
      warnOfSecret(context, definition);
      const exit = await tryServer(context, world, added, results.mcpAdded(added.name, world));
      if (exit === EXIT.ok && added.enabled && !context.options.json) await sayHowToGive(context, world, added.name);
      return exit;
    },
  );
}

/** Most worlds have few agents; for more, the command is only a pattern. */
const MOST_AGENTS = 3;

/** An agent doesn't get the tools of a new server by itself, unless it has all tools. */
async function sayHowToGive(context: CommandContext, world: string, server: string): Promise<void> {
  const { items: agents } = await (await context.client()).agents(world);
  const given = `mcp__${server}__*`;
  const without = agents.filter(({ tools }) => !tools.includes('*') && !tools.includes(given));
  if (agents.length > 0 && without.length === 0) return;
  const isPattern = without.length === 0 || without.length > MOST_AGENTS;
  const shown = isPattern ? [{ id: 'AGENT', tools: ['OTHER_TOOLS'] }] : without;
  context.note(
    results.mcpGive(
      world,
      shown.map(({ id, tools }) => ({ id, tools: [...tools, given].map(plainLine) })),
    ),
  );
}

function addEdit(mcp: Command, register: Register): void {
  register<DefinitionFlags>(
    withFlags(
      withHelp(inWorld(mcp.command('edit').argument('<server>').argument('[command...]', help.newCommand)), help.edit),
    )
      .option('--unset <name>', help.unset, again)
      .option('--server-url <url>', help.newServerUrl)
      .option('--accept', help.accept),
    async (context, { args, options }) => {
      const { world, name } = await findServer(context, options.world, args[0]);
      const { serverUrl, accept } = options;
      const client = await context.client();
      const before = await client.mcpServer(world, name);
      const [command, ...words] = args.slice(1);
      const change = await readChange(context, before.value, args.slice(1), options);
      // Accepts exactly the definitions printed here, and no later change.
      const ifMatch = accept === undefined || before.etag === undefined ? {} : { ifMatch: before.etag };
      const changed = await client.updateMcpServer(world, name, change, ifMatch);
      if (command !== undefined) warnOfSecret(context, { transport: 'stdio', command, args: words, env: {} });
      if (serverUrl !== undefined) warnOfSecret(context, { transport: 'http', url: serverUrl, headers: {} });
      if (accept !== undefined && !context.options.json)
        for (const { tool, difference } of before.value.changed)
          context.note(results.mcpAccepted(plainLine(`${tool}: ${difference}`)));
      return await tryServer(context, world, changed, results.mcpChanged(name, world));
    },
  );
}

function addImport(mcp: Command, register: Register): void {
  register<ImportFlags>(
    withHelp(inWorld(mcp.command('import').argument('<file>', help.file)), help.import)
      .option('--value <name=value>', help.value, again)
      .option('--allow-host <host>', help.allowHost, again),
    (context, { args, options }) => importServers(context, args[0] ?? '-', options),
  );
}

function addRemove(mcp: Command, register: Register): void {
  register<WorldFlag & { yes?: boolean }>(
    withHelp(inWorld(mcp.command('remove').argument('<server>')), help.remove).option('--yes', YES),
    async (context, { args, options }) => {
      const { world, name } = await findServer(context, options.world, args[0]);
      await confirm(context, { yes: options.yes, what: results.mcpRemoval(name, world) });
      await (await context.client()).removeMcpServer(world, name);
      showDone(context, results.mcpRemoved(name), { removed: name });
    },
  );
}

function statusText(server: McpServer): string {
  if (!server.enabled) return 'off';
  return needsSignIn(server) ? results.mcpNeedsSignIn : server.status;
}
