import type { McpServer, McpServerDefinition } from '@countersign/protocol';
import type { McpServerWithTools } from '../ports/index.js';
import { maskText, maskValue } from '../masking/index.js';
import { describeDifference } from '../evidence/mcp-difference.js';
import type { Runtime } from '../step/runtime.js';
import { openSignIn } from './mcp-secrets.js';
import { showSignIn } from './show-sign-in.js';

type ShownDefinition = Omit<
  McpServer,
  'status' | 'error' | 'cause' | 'signIn' | 'sandbox' | 'log' | 'tools' | 'changed'
>;

/** A server as shown to people: names of variables and headers without values, and other secrets masked (SAFE6). */
export function showDefinition(definition: McpServerDefinition): ShownDefinition {
  const { name, trusted, enabled } = definition;
  if (definition.transport === 'http') {
    const { url, headers } = definition;
    return { name, transport: 'http', url: maskText(url).value, headers: Object.keys(headers), trusted, enabled };
  }
  const { command, args, env, network, folders } = definition;
  const shown = maskArgs(args).value;
  return {
    name,
    transport: 'stdio',
    command: maskText(command).value,
    args: shown,
    env: Object.keys(env),
    network,
    ...(folders === undefined ? {} : { folders }),
    trusted,
    enabled,
  };
}

/** A server in a world export: secrets are empty or masked and must be filled in after the import (HTTP2). */
export function exportDefinition(definition: McpServerDefinition): McpServerDefinition {
  const emptied = (values: Record<string, string>): Record<string, string> =>
    Object.fromEntries(Object.keys(values).map((name) => [name, '']));
  return definition.transport === 'stdio'
    ? {
        ...definition,
        command: maskText(definition.command).value,
        args: maskArgs(definition.args).value,
        env: emptied(definition.env),
      }
    : { ...definition, url: maskText(definition.url).value, headers: emptied(definition.headers) };
}

/** Masks the secrets in a program's arguments, such as the word after `--api-key`. */
export function maskArgs(args: readonly string[]): { value: string[]; secrets: string[] } {
  const { value, secrets } = maskValue(args);
  return { value: Array.isArray(value) ? value.map(String) : [], secrets };
}

/** A server with its current state. Text from the server is masked like tool output. */
export function showServer(
  runtime: Runtime,
  { server, tools }: McpServerWithTools,
  { log = false }: { log?: boolean } = {},
): McpServer {
  const { definition, worldId, name } = server;
  const state = runtime.mcp?.state(worldId, name);
  const signIn = showSignIn(openSignIn(runtime.options.secretBox, server), runtime.clock.now());
  const error = runtime.mcp === undefined ? 'this process runs no MCP servers' : state?.error;
  return {
    ...showDefinition(definition),
    status: state?.status ?? (definition.enabled ? 'idle' : 'off'),
    ...(error === undefined ? {} : { error: maskText(error).value }),
    ...(state?.cause === undefined ? {} : { cause: state.cause }),
    ...(signIn === undefined ? {} : { signIn }),
    ...(state === undefined ? {} : { sandbox: state.sandbox }),
    ...(log && state !== undefined ? { log: state.log.map((line) => maskText(line).value) } : {}),
    tools: tools.filter((tool) => tool.seen !== null).map((tool) => tool.name),
    changed: tools.flatMap((tool) => {
      const difference = tool.seen === null ? undefined : describeDifference(tool);
      return difference === undefined ? [] : [{ tool: tool.name, difference: maskText(difference).value }];
    }),
  };
}
