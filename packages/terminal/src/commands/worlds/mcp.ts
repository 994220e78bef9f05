import { resolve } from 'node:path';
import { hasArguments, liftSecrets, needsSignIn, readAll, type McpConnection } from '@countersign/client';
import type { McpContext, McpNetwork, McpServer, McpServerChange, NewMcpServer } from '@countersign/protocol';
import type { Command } from 'commander';
import { CommandError } from '../../command-error.js';
import { confirm } from '../../confirm.js';
import { findWorld } from '../../find-things.js';
import { plainLine } from '../../text/plain-text.js';
import { readSecret } from '../../read-secret.js';
import { suggestion } from '../../text/suggest.js';
import type { CommandContext } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { again } from '../machine/serve.js';
import type { Register } from '../register.js';
import { showDone, showList, showThing } from '../show-list.js';
import { importServers, type ImportFlags } from './mcp-import.js';
import { logIn, type LoginFlags } from './mcp-login.js';
import { showTested, tryServer } from './try-server.js';
import { errors } from '../../words/errors.js';
import { withHelp, WORLD, YES } from '../../words/help.js';
import { mcpHelp as help } from '../../words/help-worlds.js';
import { results } from '../../words/results.js';

interface McpFlags {
  world?: string;
  serverUrl?: string;
  env?: string[];
  header?: string[];
  trusted?: boolean;
  enabled?: boolean;
  network?: boolean;
  allowHost?: string[];
  folder?: string[] | false;
  accept?: true;
  unset?: string[];
  yes?: boolean;
}

/** `countersign mcp` (X3). */
export function addMcp(program: Command, register: Register): void {
  const mcp = program.command('mcp').description(help.about);
  const inWorld = (command: Command): Command => command.option('-w, --world <world>', WORLD);
  register<McpFlags>(
    withHelp(inWorld(mcp.command('list', { isDefault: true })), help.list),
    async (context, { options }) => {
      const client = await context.client();
      const { id: world } = await findWorld(client, options.world);
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
  register<McpFlags>(
    withHelp(inWorld(mcp.command('show').argument('<server>')), help.show),
    async (context, { args, options }) => {
      const { world, name } = await find(context, options.world, args[0]);
      showThing(context, (await (await context.client()).mcpServer(world, name)).value);
    },
  );
  register<McpFlags>(
    withFlags(
      withHelp(inWorld(mcp.command('add').argument('<server>').argument('[command...]', help.command)), help.add),
    ).option('--server-url <url>', help.serverUrl),
    async (context, { args, options }) => {
      const client = await context.client();
      const { id: world } = await findWorld(client, options.world);
      const definition = await readDefinition(context, args, options);
      const added = await client.addMcpServer(world, definition);
      warnOfSecret(context, definition);
      const exit = await tryServer(context, world, added, results.mcpAdded(added.name, world));
      if (exit === EXIT.ok && added.enabled && !context.options.json) context.note(results.mcpGive(added.name, world));
      return exit;
    },
  );
  register<McpFlags>(
    withFlags(
      withHelp(inWorld(mcp.command('edit').argument('<server>').argument('[command...]', help.newCommand)), help.edit),
    )
      .option('--unset <name>', help.unset, again)
      .option('--server-url <url>', help.newServerUrl)
      .option('--accept', help.accept),
    async (context, { args, options }) => {
      const { world, name } = await find(context, options.world, args[0]);
      const { serverUrl, trusted, enabled, accept, folder } = options;
      const network = networkOf(options);
      const client = await context.client();
      const before = await client.mcpServer(world, name);
      const [command, ...words] = args.slice(1);
      if (command !== undefined) checkProgram(command);
      const change: McpServerChange = {
        ...(command === undefined ? {} : { command, args: words }),
        ...(serverUrl === undefined ? {} : { url: serverUrl }),
        ...(await changedPairs(context, before.value, options)),
        ...(trusted === undefined ? {} : { trusted }),
        ...(enabled === undefined ? {} : { enabled }),
        ...(network === undefined ? {} : { network }),
        ...(folder === undefined ? {} : { folders: foldersOf(folder) }),
        ...(accept === undefined ? {} : { accept: true }),
      };
      if (Object.keys(change).length === 0) throw new CommandError(errors.nothingToChange);
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
  register<McpFlags>(
    withHelp(inWorld(mcp.command('context').argument('<server>')), help.context),
    async (context, { args, options }) => {
      const { world, name } = await find(context, options.world, args[0]);
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
  register<McpFlags & { arg?: string[] }>(
    withHelp(
      inWorld(mcp.command('prompt').argument('<server>').argument('<prompt>', help.promptName)),
      help.prompt,
    ).option('--arg <name=value>', help.arg, again),
    async (context, { args, options }) => {
      const { world, name } = await find(context, options.world, args[0]);
      const wanted = { prompt: args[1] ?? '', arguments: await readPairs(context, options.arg ?? [], '--arg') };
      const text = await (await context.client()).readMcpContext(world, name, wanted);
      if (context.options.json) context.json({ text });
      else context.put(`${text}\n`, 'text');
    },
  );
  register<McpFlags>(
    withHelp(inWorld(mcp.command('resource').argument('<server>').argument('<uri>')), help.resource),
    async (context, { args, options }) => {
      const { world, name } = await find(context, options.world, args[0]);
      const text = await (await context.client()).readMcpContext(world, name, { uri: args[1] ?? '' });
      if (context.options.json) context.json({ text });
      else context.put(`${text}\n`, 'text');
    },
  );
  register<ImportFlags>(
    withHelp(inWorld(mcp.command('import').argument('<file>', help.file)), help.import)
      .option('--value <name=value>', help.value, again)
      .option('--allow-host <host>', help.allowHost, again),
    (context, { args, options }) => importServers(context, args[0] ?? '-', options),
  );
  register<McpFlags>(
    withHelp(inWorld(mcp.command('test').argument('<server>')), help.test),
    async (context, { args, options }) => {
      const { world, name } = await find(context, options.world, args[0]);
      if (context.isPerson) context.note(results.mcpStarting(name));
      return showTested(context, world, await (await context.client()).testMcpServer(world, name));
    },
  );
  register<McpFlags>(
    withHelp(inWorld(mcp.command('log').argument('<server>')), help.log),
    async (context, { args, options }) => {
      const { world, name } = await find(context, options.world, args[0]);
      const { log = [] } = (await (await context.client()).mcpServer(world, name)).value;
      if (context.options.json) context.json({ log });
      else if (log.length === 0) context.note(results.mcpNoLog(name));
      else for (const line of log) context.say(plainLine(line));
    },
  );
  register<McpFlags>(
    withHelp(inWorld(mcp.command('restart').argument('<server>')), help.restart),
    async (context, { args, options }) => {
      const { world, name } = await find(context, options.world, args[0]);
      const client = await context.client();
      if (!(await client.mcpServer(world, name)).value.enabled) throw new CommandError(errors.serverOff(name, world));
      await client.updateMcpServer(world, name, { enabled: false });
      const changed = await client.updateMcpServer(world, name, { enabled: true });
      return await tryServer(context, world, changed, results.mcpRestarted(name, world));
    },
  );
  register<LoginFlags>(
    withHelp(inWorld(mcp.command('login').argument('<server>')), help.login)
      .option('--client-id <id>', help.clientId)
      .option('--client-secret', help.clientSecret)
      .option('--no-open', help.noOpen),
    async (context, { args, options }) => {
      const { world, name } = await find(context, options.world, args[0]);
      return await logIn(context, world, name, options);
    },
  );
  register<McpFlags>(
    withHelp(inWorld(mcp.command('logout').argument('<server>')), help.logout),
    async (context, { args, options }) => {
      const { world, name } = await find(context, options.world, args[0]);
      const server = await (await context.client()).signOutOfMcpServer(world, name);
      showDone(context, results.mcpSignedOut(name), server);
    },
  );
  register<McpFlags>(
    withHelp(inWorld(mcp.command('remove').argument('<server>')), help.remove).option('--yes', YES),
    async (context, { args, options }) => {
      const { world, name } = await find(context, options.world, args[0]);
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

/** `code_review(code, style?)` */
function withArguments({ name, arguments: args }: McpContext['prompts'][number]): string {
  return args.length === 0
    ? name
    : `${name}(${args.map((arg) => `${arg.name}${arg.isRequired ? '' : '?'}`).join(', ')})`;
}

function withFlags(command: Command): Command {
  return command
    .option('--env <name[=value]>', help.env, again)
    .option('--header <name[=value]>', help.header, again)
    .option('--trusted', help.trusted)
    .option('--no-trusted', help.noTrusted)
    .option('--enabled', help.enabled)
    .option('--no-enabled', help.noEnabled)
    .option('--network', help.network)
    .option('--no-network', help.noNetwork)
    .option('--allow-host <host>', help.allowHost, again)
    .option('--folder <path>', help.folder, again)
    .option('--no-folder', help.noFolder);
}

async function readDefinition(
  context: CommandContext,
  [name = '', ...words]: readonly string[],
  options: McpFlags,
): Promise<NewMcpServer & McpConnection> {
  const { serverUrl: url, trusted, enabled, folder, env, header } = options;
  const network = networkOf(options);
  const common = {
    name,
    ...(trusted === undefined ? {} : { trusted }),
    ...(enabled === undefined ? {} : { enabled }),
  };
  const [command, ...args] = words;
  if (url !== undefined) {
    if (command !== undefined) throw new CommandError(errors.commandOrUrl);
    return { ...common, transport: 'http', url, headers: await readPairs(context, header ?? [], '--header') };
  }
  if (command === undefined) throw new CommandError(errors.noCommandOrUrl);
  checkProgram(command);
  return {
    ...common,
    transport: 'stdio',
    command,
    args,
    env: await readPairs(context, env ?? [], '--env'),
    ...(network === undefined ? {} : { network }),
    ...(folder === undefined ? {} : { folders: foldersOf(folder) }),
  };
}

function warnOfSecret(context: CommandContext, definition: McpConnection): void {
  const [name] = liftSecrets(definition).names;
  if (name !== undefined) context.note(results.mcpOpenSecret(definition.transport, plainLine(name)));
}

function networkOf({ network, allowHost }: McpFlags): McpNetwork | undefined {
  if (network !== undefined && allowHost !== undefined) throw new CommandError(errors.networkOrHosts);
  return allowHost === undefined ? network : { hosts: allowHost };
}

/** `-- "npx -y server"` would look for a program with spaces in its name. */
function checkProgram(command: string): void {
  if (hasArguments(command)) throw new CommandError(errors.argumentsApart(plainLine(command)));
}

/** Paths are relative to the current folder. The shell has already expanded `~`, unless it was quoted. */
function foldersOf(given: string[] | false): string[] {
  return given === false ? [] : given.map((folder) => (folder.startsWith('~/') ? folder : resolve(folder)));
}

/** If only a name is given, asks for the value: other users can read the arguments of a process. */
async function readPairs(
  context: CommandContext,
  words: readonly string[],
  flag: string,
): Promise<Record<string, string>> {
  const pairs: Record<string, string> = {};
  for (const word of words) {
    const at = word.indexOf('=');
    if (at > 0) pairs[word.slice(0, at)] = word.slice(at + 1);
    // Don't print the value: it may be a mistyped secret.
    else if (at === 0 || word === '' || !context.isPerson) throw new CommandError(errors.notAPair(flag));
    else pairs[word] = await readSecret(context, results.mcpValuePrompt(word));
  }
  return pairs;
}

/** Stored values are never returned: `null` keeps the value stored under a name. */
async function changedPairs(
  context: CommandContext,
  server: McpServer,
  { env, header, unset = [] }: McpFlags,
): Promise<McpServerChange> {
  const known = [...(server.env ?? []), ...(server.headers ?? [])];
  const unknown = unset.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new CommandError(errors.noPairToRemove(unknown, suggestion(unknown, known)));
  const merged = async (
    stored: readonly string[] = [],
    given: readonly string[] = [],
    flag: string,
  ): Promise<Record<string, string | null>> => ({
    ...Object.fromEntries(stored.filter((name) => !unset.includes(name)).map((name) => [name, null])),
    ...(await readPairs(context, given, flag)),
  });
  const touches = (stored: readonly string[] = []): boolean => unset.some((name) => stored.includes(name));
  return {
    ...(env === undefined && !touches(server.env) ? {} : { env: await merged(server.env, env, '--env') }),
    ...(header === undefined && !touches(server.headers)
      ? {}
      : { headers: await merged(server.headers, header, '--header') }),
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
  if (!names.includes(name)) throw new CommandError(errors.notFoundIn('MCP server', name, id, suggestion(name, names)));
  return { world: id, name };
}
