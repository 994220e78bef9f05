import { resolve } from 'node:path';
import { hasArguments, liftSecrets, type McpConnection } from '@countersign/client';
import type { McpNetwork, McpServer, McpServerChange, NewMcpServer } from '@countersign/protocol';
import type { Command } from 'commander';
import { CommandError } from '../../command-error.js';
import type { CommandContext } from '../../context.js';
import { readSecret } from '../../input/read-secret.js';
import { plainLine } from '../../text/plain-text.js';
import { suggestion } from '../../text/suggest.js';
import { again } from '../read-flags.js';
import { errors } from '../../words/errors.js';
import { mcpHelp as help } from '../../words/help-worlds.js';
import { results } from '../../words/results.js';

export interface DefinitionFlags {
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
}

/** Flags of `add` and `edit`. */
export function withFlags(command: Command): Command {
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

export async function readDefinition(
  context: CommandContext,
  [name = '', ...words]: readonly string[],
  options: DefinitionFlags,
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

export function warnOfSecret(context: CommandContext, definition: McpConnection): void {
  const [name] = liftSecrets(definition).names;
  if (name !== undefined) context.note(results.mcpOpenSecret(definition.transport, plainLine(name)));
}

function networkOf({ network, allowHost }: DefinitionFlags): McpNetwork | undefined {
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
export async function readPairs(
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

/** The change that the flags of `edit` describe. Throws if there are none. */
export async function readChange(
  context: CommandContext,
  server: McpServer,
  [command, ...args]: readonly string[],
  options: DefinitionFlags,
): Promise<McpServerChange> {
  const { serverUrl, trusted, enabled, accept, folder } = options;
  const network = networkOf(options);
  if (command !== undefined) checkProgram(command);
  const change: McpServerChange = {
    ...(command === undefined ? {} : { command, args }),
    ...(serverUrl === undefined ? {} : { url: serverUrl }),
    ...(await changedPairs(context, server, options)),
    ...(trusted === undefined ? {} : { trusted }),
    ...(enabled === undefined ? {} : { enabled }),
    ...(network === undefined ? {} : { network }),
    ...(folder === undefined ? {} : { folders: foldersOf(folder) }),
    ...(accept === undefined ? {} : { accept: true }),
  };
  if (Object.keys(change).length === 0) throw new CommandError(errors.nothingToChange);
  return change;
}

/** Stored values are never returned: `null` keeps the value stored under a name. */
async function changedPairs(
  context: CommandContext,
  server: McpServer,
  { env, header, unset = [] }: DefinitionFlags,
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
