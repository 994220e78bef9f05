import {
  CountersignError,
  mcpServerChangeSchema,
  newMcpServerSchema,
  parseInput,
  type McpServer,
  type McpServerChange,
  type McpServerDefinition,
  type NewMcpServer,
  type Signer,
} from '@countersign/protocol';
import type { McpServerRecord } from '../ports/index.js';
import { applyChange } from './mcp-change.js';
import { emitServer, revokeGrantsOf, withTools } from './mcp-records.js';
import { showDefinition, showServer } from './mcp-show.js';
import { commit, type Runtime, type Step } from './runtime.js';

/** A new server of a world. It is started at once, so that the person who added it sees whether it runs and what it offers. */
export async function addMcpServer(
  runtime: Runtime,
  worldId: string,
  input: NewMcpServer,
  signer: Signer,
): Promise<McpServer> {
  const definition = parseInput(newMcpServerSchema, input, 'MCP server');
  await insertMcpServers(runtime, worldId, [definition], signer);
  await lookAt(runtime, worldId, definition.name);
  return await showMcpServer(runtime, worldId, definition.name);
}

async function insertMcpServers(
  runtime: Runtime,
  worldId: string,
  definitions: readonly McpServerDefinition[],
  signer: Signer,
): Promise<void> {
  await commit(runtime, 'add-mcp-servers', worldId, async (step) => {
    for (const definition of definitions) {
      const { name } = definition;
      const createdAt = step.tx.now();
      await step.tx.insertMcpServer({ worldId, name, definition, firstListedAt: null, createdAt });
      record(step, 'MCP server added', definition, signer);
      if (definition.trusted) record(step, 'MCP server trusted', definition, signer);
      emitServer(step, 'create', name);
    }
  });
}

/** Changes part of a server, or accepts what its tools say of themselves now. Nothing that is not sent changes. */
export async function updateMcpServer(
  runtime: Runtime,
  worldId: string,
  name: string,
  change: McpServerChange,
  signer: Signer,
): Promise<McpServer> {
  const { accept, ...sent } = parseInput(mcpServerChangeSchema, change, 'MCP server');
  await commit(runtime, 'update-mcp-server', worldId, async (step) => {
    const server = await serverOf(step, name);
    const definition = applyChange(server.definition, sent);
    const { trusted, enabled, ...connection } = definition;
    const { trusted: wasTrusted, enabled: wasEnabled, ...before } = server.definition;
    await step.tx.updateMcpServer({ ...server, definition });
    if (trusted !== wasTrusted)
      record(step, trusted ? 'MCP server trusted' : 'MCP server no longer trusted', definition, signer);
    if (enabled !== wasEnabled)
      record(step, enabled ? 'MCP server turned on' : 'MCP server turned off', definition, signer);
    if (JSON.stringify(connection) !== JSON.stringify(before)) {
      record(step, 'MCP server changed', definition, signer);
      // They were given to another program behind the same names.
      await revokeGrantsOf(step, isToolOf(name), signer.who, 'its MCP server was changed');
    }
    if (accept === true) await acceptTools(step, name, signer);
    emitServer(step, 'update', name);
  });
  await lookAt(runtime, worldId, name);
  return await showMcpServer(runtime, worldId, name);
}

/** From here on the tools may be what they say they are: rules count again, and new grants can be given. */
async function acceptTools(step: Step, name: string, signer: Signer): Promise<void> {
  for (const tool of await step.tx.mcpTools(step.snapshot.world.id, name)) {
    if (tool.seen === null || tool.seenDigest === tool.acceptedDigest) continue;
    await step.tx.putMcpTool({ ...tool, accepted: tool.seen, acceptedDigest: tool.seenDigest });
    step.tx.record({ kind: 'policy', decision: 'tool accepted', tool: tool.name, ...signer });
  }
}

/** Its grants go with it: a server that is added under the same name one day must not inherit them (A22). */
export async function removeMcpServer(runtime: Runtime, worldId: string, name: string, signer: Signer): Promise<void> {
  await commit(runtime, 'remove-mcp-server', worldId, async (step) => {
    const { definition } = await serverOf(step, name);
    await step.tx.deleteMcpServer(worldId, name);
    record(step, 'MCP server removed', definition, signer);
    await revokeGrantsOf(step, isToolOf(name), signer.who, 'its MCP server was removed');
    emitServer(step, 'delete', name);
  });
  await runtime.mcp?.look(worldId, name);
}

export async function listMcpServers(runtime: Runtime, worldId: string): Promise<McpServer[]> {
  const found = await runtime.store.read(async (reader) => {
    const servers = await reader.mcpServers(worldId);
    return await Promise.all(servers.map((server) => withTools(reader, server)));
  });
  return found.map((server) => showServer(runtime, server));
}

/** One server, with the last things it said. */
export async function showMcpServer(runtime: Runtime, worldId: string, name: string): Promise<McpServer> {
  const found = await runtime.store.read(async (reader) => {
    const server = await reader.mcpServer(worldId, name);
    return server === undefined ? undefined : await withTools(reader, server);
  });
  if (found === undefined) throw noServer(name);
  return showServer(runtime, found, { log: true });
}

/** Servers of a world's file, without what is secret in them (W3 `export`). */
export async function exportMcpServers(runtime: Runtime, worldId: string): Promise<NewMcpServer[]> {
  const servers = await runtime.store.read((reader) => reader.mcpServers(worldId));
  return servers.map(({ definition }) => {
    const emptied = (values: Record<string, string>): Record<string, string> =>
      Object.fromEntries(Object.keys(values).map((name) => [name, '']));
    const { env: _e, headers: _h, ...shown } = showDefinition(definition);
    return definition.transport === 'stdio'
      ? { ...definition, ...shown, transport: 'stdio', env: emptied(definition.env) }
      : { ...definition, ...shown, transport: 'http', headers: emptied(definition.headers) };
  });
}

/** An import is inert: each is off and untrusted, whatever the file says, until a person turns it on (W3). */
export async function importMcpServers(
  runtime: Runtime,
  worldId: string,
  input: readonly unknown[],
  signer: Signer,
): Promise<void> {
  const definitions = input.map((server, index) => ({
    ...parseInput(newMcpServerSchema, server, `mcpServers.${index}`),
    enabled: false,
    trusted: false,
  }));
  await insertMcpServers(runtime, worldId, definitions, signer);
  for (const { name } of definitions) await runtime.mcp?.look(worldId, name);
}

/** The host reads the record anew; one that is on is started beside us, and its state tells how it went. */
async function lookAt(runtime: Runtime, worldId: string, name: string): Promise<void> {
  await runtime.mcp?.look(worldId, name);
  runtime.mcp?.start(worldId, name).catch(() => undefined);
}

async function serverOf(step: Step, name: string): Promise<McpServerRecord> {
  const server = await step.tx.mcpServer(step.snapshot.world.id, name);
  if (server === undefined) throw noServer(name);
  return server;
}

function noServer(name: string): CountersignError {
  return new CountersignError('not-found', `there is no MCP server "${name}" in this world`);
}

function isToolOf(name: string): (toolName: string) => boolean {
  return (toolName) => toolName.startsWith(`mcp__${name}__`);
}

/** Names of variables and headers only; what else may be secret is masked (A15). */
function record(step: Step, decision: string, definition: McpServerDefinition, signer: Signer): void {
  step.tx.record({ kind: 'policy', decision, arguments: showDefinition(definition), ...signer });
}
