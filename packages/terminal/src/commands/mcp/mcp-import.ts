import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import {
  addMcpServers,
  fillMcpServer,
  nameOfPlaceholder,
  readAll,
  readMcpFile,
  type McpFileInput,
  type McpFileServer,
} from '@countersign/client';
import { CountersignError, type McpServer, type NewMcpServer } from '@countersign/protocol';
import { CommandError } from '../../command-error.js';
import type { CommandContext } from '../../context.js';
import { describeFailure } from '../../describe-failure.js';
import { clientIn } from '../../find-things.js';
import { readSecret } from '../../input/read-secret.js';
import { plainLine } from '../../text/plain-text.js';
import { readText } from '../worlds/agents.js';
import { errors } from '../../words/errors.js';
import { results } from '../../words/results.js';

export interface ImportFlags {
  world?: string;
  value?: string[];
  allowHost?: string[];
}

/** `countersign mcp import`: adds the servers from a Claude, Cursor or VS Code file, disabled. Checks all of them before adding any. */
export async function importServers(context: CommandContext, file: string, options: ImportFlags): Promise<void> {
  const read = readMcpFile(file === '-' ? await text(context.console.stdin) : await readText(file));
  if (!read.ok) throw new CommandError(plainLine(read.problem));
  const { client, world } = await clientIn(context, options.world);
  const taken = new Set((await readAll((page) => client.mcpServers(world, page))).map(({ name }) => name));
  const wanted = read.servers.filter(({ name }) => !taken.has(name));
  const skipped = read.servers.filter(({ name }) => taken.has(name)).map(({ name }) => name);
  const values = await readValues(context, wanted, options.value ?? []);
  const definitions = wanted.map((server) => definitionOf(server, values, options.allowHost));
  const result = await addMcpServers(definitions, (definition) => client.addMcpServer(world, definition));
  if (!result.ok) throw importStopped(result);
  const { added } = result;
  const notes = [...read.notes, ...skipped.map((name) => results.mcpSkipped(name))];
  if (context.options.json) return context.json({ items: added, skipped, notes });
  for (const note of notes) context.note(plainLine(note));
  context.note(results.mcpImported(added.length, world, options.allowHost));
  for (const { name } of added) context.note(`  ${plainLine(name)}`);
  if (added[0] !== undefined) context.note(results.mcpTurnOn(added[0].name, world));
}

function importStopped({ added, failed, error }: { added: McpServer[]; failed: string; error: unknown }): unknown {
  if (added.length === 0) return error;
  const { message, code } = describeFailure(error);
  const names = added.map(({ name }) => name);
  return new CommandError(errors.importStopped(failed, plainLine(message), names), code, error);
}

function definitionOf(
  server: McpFileServer,
  values: ReadonlyMap<string, string>,
  hosts: readonly string[] = [],
): NewMcpServer {
  try {
    return fillMcpServer(server, values, hosts);
  } catch (error) {
    throw error instanceof CountersignError ? new CommandError(plainLine(error.message)) : error;
  }
}

/** Reads values from `--value` or a prompt, never from our own environment: otherwise, the file could read any of its variables. */
async function readValues(
  context: CommandContext,
  servers: readonly McpFileServer[],
  given: readonly string[],
): Promise<Map<string, string>> {
  const inputs = new Map(
    servers.flatMap((server) => server.inputs.map((input) => [input.placeholder, input] as const)),
  );
  const values = new Map<string, string>();
  for (const pair of given) {
    const at = pair.indexOf('=');
    if (at < 1) throw new CommandError(errors.notAPair('--value'));
    const input = [...inputs.keys()].find((placeholder) => nameOfPlaceholder(placeholder) === pair.slice(0, at));
    if (input === undefined) throw new CommandError(errors.notAskedFor(pair.slice(0, at)));
    values.set(input, pair.slice(at + 1));
  }
  for (const input of inputs.values()) {
    if (values.has(input.placeholder)) continue;
    const value = context.isPerson ? await ask(context, input) : '';
    const filled = value === '' ? (input.default ?? '') : value;
    if (filled === '')
      throw new CommandError(errors.valueMissing(plainLine(input.label), nameOfPlaceholder(input.placeholder)));
    values.set(input.placeholder, filled);
  }
  return values;
}

async function ask(context: CommandContext, input: McpFileInput): Promise<string> {
  const prompt = results.mcpAsk(input.label, input.default, input.choices ?? [], input.isSecret);
  if (input.isSecret) return await readSecret(context, prompt);
  const { stdin, stderr } = context.console;
  const readline = createInterface({ input: stdin, output: stderr });
  try {
    return (await readline.question(plainLine(prompt))).trim();
  } finally {
    readline.close();
  }
}
