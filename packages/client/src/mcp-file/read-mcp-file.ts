import { freeName, newMcpServerSchema, parseInput, slug, type NewMcpServer } from '@countersign/protocol';
import { z } from 'zod';
import { mcpFileText } from '../show/mcp-file-text.js';
import { keepValue, liftSecrets, type McpConnection } from './lift-secrets.js';
import { parseJsonc } from './parse-jsonc.js';
import {
  defaultOf,
  fillPlaceholders,
  nameOfPlaceholder,
  placeholdersIn,
  placeholdersInArgument,
} from './placeholders.js';

/** A value that the file leaves open. People are asked for it; it is never taken from the environment. */
export interface McpFileInput {
  /** The placeholder as written in the file, such as `${input:key}` or `<your-key>`. */
  placeholder: string;
  label: string;
  isSecret: boolean;
  default?: string;
  choices?: readonly string[];
}

/** A server from the file. It may contain placeholders. */
export interface McpFileServer {
  /** A valid name, derived from the one in the file. */
  name: string;
  connection: McpConnection;
  inputs: readonly McpFileInput[];
}

export type McpFile =
  /** `notes`: what was left out. */
  { ok: true; servers: readonly McpFileServer[]; notes: readonly string[] } | { ok: false; problem: string };

/** The largest file that `readMcpFile` accepts. */
export const MCP_FILE_BYTES = 1_000_000;
const MAX_SERVERS = 100;
const LONGEST_NAME = 24;

const scalars = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String));
const entrySchema = z.object({
  type: z.string().optional(),
  command: z.string().min(1).optional(),
  args: z.array(z.string()).default([]),
  env: scalars.default({}),
  url: z.string().min(1).optional(),
  headers: scalars.default({}),
  cwd: z.unknown().optional(),
  envFile: z.unknown().optional(),
});
const inputSchema = z.object({
  id: z.string(),
  description: z.string().optional(),
  password: z.boolean().optional(),
  default: z.string().optional(),
  options: z.array(z.string()).optional(),
});
type Declared = z.output<typeof inputSchema>;
const entries = z.record(z.string(), z.unknown());
const fileSchema = z.object({
  mcpServers: entries.optional(),
  servers: entries.optional(),
  inputs: z.unknown().optional(),
});

/**
 * Reads the servers from a Claude (`claude_desktop_config.json`, `.mcp.json`), Cursor (`.cursor/mcp.json`) or VS Code (`.vscode/mcp.json`)
 * file. Nothing is started or granted. If any server is invalid, the whole file is rejected.
 */
export function readMcpFile(text: string): McpFile {
  if (text.length > MCP_FILE_BYTES) return { ok: false, problem: mcpFileText.tooLarge };
  let json: unknown;
  try {
    json = parseJsonc(text);
  } catch (error) {
    return {
      ok: false,
      problem: mcpFileText.notJson(error instanceof Error ? error.message : mcpFileText.unreadable),
    };
  }
  // VS Code's settings.json has the same content under `mcp`.
  const inSettings = z.object({ mcp: fileSchema }).safeParse(json);
  const file = inSettings.success ? inSettings : { data: { mcp: fileSchema.safeParse(json).data } };
  const { mcpServers, servers = mcpServers, inputs } = file.data.mcp ?? {};
  const found = Object.entries(servers ?? {});
  if (found.length === 0) return { ok: false, problem: mcpFileText.noServers };
  if (found.length > MAX_SERVERS) return { ok: false, problem: mcpFileText.tooMany(MAX_SERVERS) };
  return readServers(found, z.array(inputSchema).catch([]).parse(inputs));
}

function readServers(found: readonly [string, unknown][], declared: readonly Declared[]): McpFile {
  const servers: McpFileServer[] = [];
  const notes: string[] = [];
  for (const [title, json] of found) {
    const parsed = entrySchema.safeParse(json);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const field = issue?.path.join('.') ?? '';
      return { ok: false, problem: mcpFileText.invalid(title, field) };
    }
    const { type, command, url, cwd, envFile } = parsed.data;
    if (command === undefined && url === undefined) return { ok: false, problem: mcpFileText.noTarget(title) };
    if (command === undefined && type === 'sse') {
      notes.push(mcpFileText.sse(title));
      continue;
    }
    const name = nameOf(title, servers);
    if (name !== title) notes.push(mcpFileText.renamed(title, name));
    if (cwd !== undefined) notes.push(mcpFileText.cwd(title));
    if (envFile !== undefined) notes.push(mcpFileText.envFile(title));
    const connection = connectionOf(parsed.data);
    servers.push({ name, connection, inputs: inputsOf(connection, declared) });
  }
  return { ok: true, servers, notes };
}

function connectionOf({ command, args, env, url = '', headers }: z.output<typeof entrySchema>): McpConnection {
  return command === undefined ? { transport: 'http', url, headers } : { transport: 'stdio', command, args, env };
}

function nameOf(title: string, taken: readonly McpFileServer[]): string {
  const plain = title.normalize('NFKD').replace(/[^\x20-\x7e]/g, '');
  const base = slug(plain, 'server').slice(0, LONGEST_NAME).replace(/-+$/, '');
  const names = taken.map(({ name }) => name);
  return freeName(base, names, { separator: '-', longest: LONGEST_NAME });
}

function inputsOf(connection: McpConnection, declared: readonly Declared[]): McpFileInput[] {
  const isProgram = connection.transport === 'stdio';
  const values = Object.entries(isProgram ? connection.env : connection.headers);
  const open = isProgram
    ? [connection.command, ...connection.args].flatMap(placeholdersInArgument)
    : placeholdersIn(connection.url);
  const asked = open.filter((placeholder) => !values.some(([name]) => placeholder === `\${${name}}`));
  const secret = new Set(values.flatMap(([, value]) => placeholdersIn(value)));
  const all = [...new Set([...asked, ...secret])];
  return all.map((placeholder) => {
    const about = declared.find(({ id }) => placeholder === `\${input:${id}}`);
    const usual = about?.default ?? defaultOf(placeholder);
    return {
      placeholder,
      label: about?.description ?? labelOf(placeholder, values),
      isSecret: about?.password ?? (secret.has(placeholder) || SECRET.test(placeholder)),
      ...(usual === undefined ? {} : { default: usual }),
      ...(about?.options === undefined ? {} : { choices: about.options }),
    };
  });
}

const SECRET = /key|token|secret|password|credential/i;

/** `<your-key>` says less than the name of its variable. */
function labelOf(placeholder: string, values: readonly (readonly [string, string])[]): string {
  const variable = values.find(([, value]) => placeholdersIn(value).includes(placeholder))?.[0];
  return (placeholder.startsWith('${') ? undefined : variable) ?? nameOfPlaceholder(placeholder);
}

/**
 * The definition to add: disabled, not trusted, without network except for `hosts`. `values`: the values by placeholder. Secrets in arguments
 * and URLs become variables and headers (MCP2.2). If the result is invalid, throws a `CountersignError` that names the field.
 */
export function fillMcpServer(
  { name, connection, inputs }: McpFileServer,
  values: ReadonlyMap<string, string>,
  hosts: readonly string[] = [],
): NewMcpServer {
  const { connection: filled } = liftSecrets(fillConnection(connection, inputs, values));
  const network = filled.transport === 'http' || hosts.length === 0 ? {} : { network: { hosts } };
  return parseInput(newMcpServerSchema, { name, ...filled, ...network, enabled: false }, mcpFileText.server(name));
}

function fillConnection(
  connection: McpConnection,
  inputs: readonly McpFileInput[],
  values: ReadonlyMap<string, string>,
): McpConnection {
  const isProgram = connection.transport === 'stdio';
  const own = Object.entries(isProgram ? connection.env : connection.headers);
  const kept = Object.fromEntries(own.map(([key, value]) => [key, fillPlaceholders(value, values)]));
  const [origin = '', rest = ''] = isProgram ? [] : splitUrl(connection.url);
  const open = isProgram ? connection.args : [rest];
  // In arguments and URLs, the names of variables and headers stay, and secrets are kept under such a name.
  const inOpen = new Map([...values, ...own.map(([key]) => [`\${${key}}`, `\${${key}}`] as const)]);
  for (const { placeholder, isSecret } of inputs) {
    const value = values.get(placeholder);
    if (isSecret && value !== undefined && open.some((text) => text.includes(placeholder)))
      inOpen.set(placeholder, `\${${keepValue(kept, variableOf(placeholder), value)}}`);
  }
  const filled = open.map((text) => fillPlaceholders(text, inOpen));
  return isProgram
    ? { ...connection, command: fillPlaceholders(connection.command, values), args: filled, env: kept }
    : { ...connection, url: `${fillPlaceholders(origin, values)}${filled.join('')}`, headers: kept };
}

/** The part of a URL that decides who receives it, and the rest. Without a rest, the URL may be a single placeholder. */
function splitUrl(url: string): string[] {
  return /^(https?:\/\/[^/?#]*)([^]*)$/i.exec(url)?.slice(1) ?? [url];
}

/** `${input:api-key}` → `api-key` */
function variableOf(placeholder: string): string {
  return nameOfPlaceholder(placeholder).replace(/^(?:input|env):/, '');
}
