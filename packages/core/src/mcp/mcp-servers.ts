import {
  CountersignError,
  mcpServerChangeSchema,
  newMcpServerSchema,
  parseInput,
  type McpContext,
  type McpContextRequest,
  type McpServer,
  type McpServerChange,
  type McpServerDefinition,
  type NewMcpServer,
  type Signer,
} from '@countersign/protocol';
import type { McpServerRecord, SecretBox, StoreTransaction } from '../ports/index.js';
import { errorMessage } from '../ports/error-message.js';
import { maskText } from '../masking/index.js';
import { applyChange } from './mcp-change.js';
import { noServer, serverOf } from './find-server.js';
import { withTools } from './mcp-records.js';
import { isInClear, openDefinition, sealDefinition } from './mcp-secrets.js';
import { showDefinition, showServer } from './mcp-show.js';
import { revokeGrantsOf } from '../decisions/revoke-grant.js';
import { changeWorld, mustHaveChanged } from '../step/commit.js';
import type { Runtime, WorldChange } from '../step/runtime.js';
import { writeFact } from '../step/write-fact.js';
import { readWorld, type Versioned } from '../worlds/show-world.js';
import { refuseReach } from '../worlds/refuse-reach.js';
import { MAY_NOTHING, refuseUnconfirmed, type May, type Safeguards } from '../worlds/refuse-unconfirmed.js';
import { mcpServerVersion, refuseStale, type Expected } from '../worlds/versions.js';

/** Adds a server to a world and starts it immediately, so that people see whether it runs and which tools it offers. */
export async function addMcpServer(
  runtime: Runtime,
  worldId: string,
  input: NewMcpServer,
  signer: Signer,
  { isConfirmed = false, may = MAY_NOTHING }: Omit<Safeguards, 'expected'> = {},
): Promise<Versioned<McpServer>> {
  const definition = limited(parseInput(newMcpServerSchema, input, 'MCP server'), undefined, may);
  await changeWorld(runtime, 'add-mcp-server', worldId, async (change) => {
    const { tx: reader, snapshot } = change;
    const isConfined = runtime.mcp?.isConfined === true;
    const asked = { kind: 'mcp-server', after: definition, isConfined } as const;
    await refuseReach({ runtime, reader, snapshot }, asked, { may, isConfirmed });
    refuseUnconfirmed(snapshot, { kind: 'mcp-server', before: undefined, after: definition }, isConfirmed);
    const { secretBox } = runtime.options;
    await insertMcpServer(change.tx, worldId, definition, { signer, secretBox, operation: 'create' });
  });
  await reload(runtime, worldId, definition.name);
  return await showMcpServer(runtime, worldId, definition.name);
}

/** Inserts a server in the caller's transaction, with its audit records. */
export async function insertMcpServer(
  tx: StoreTransaction,
  worldId: string,
  definition: McpServerDefinition,
  { signer: by, secretBox, operation }: { signer: Signer; secretBox: SecretBox | undefined; operation?: 'create' },
): Promise<void> {
  const { name, trusted } = definition;
  const stored = sealDefinition(secretBox, worldId, definition);
  await writeFact(tx, {
    kind: 'mcp-server-changed',
    name,
    ...(operation === undefined ? {} : { operation }),
    row: { insert: { worldId, name, ...stored, signIn: null, firstListedAt: null, createdAt: tx.now() } },
    decisions: trusted ? ['added', 'trusted'] : ['added'],
    shown: showDefinition(definition),
    by,
  });
}

/** Changes part of a server, or accepts its current tool definitions. Fields that aren't sent stay unchanged. */
export async function updateMcpServer(
  runtime: Runtime,
  worldId: string,
  name: string,
  change: McpServerChange,
  signer: Signer,
  { expected, isConfirmed = false, may = MAY_NOTHING }: Safeguards = {},
): Promise<Versioned<McpServer>> {
  const { accept, ...sent } = parseInput(mcpServerChangeSchema, change, 'MCP server');
  await changeWorld(runtime, 'update-mcp-server', worldId, async (change) => {
    const server = await serverOf(change, name);
    refuseStale(
      mcpServerVersion(runtime.store.hashKey, await withTools(change.tx, server)),
      expected,
      'this MCP server',
    );
    const opened = openedFor(runtime, server, sent);
    const definition = limited(applyChange(opened, sent), opened, may);
    const isConfined = runtime.mcp?.isConfined === true;
    const asked = { kind: 'mcp-server', before: opened, after: definition, isConfined } as const;
    await refuseReach({ runtime, reader: change.tx, snapshot: change.snapshot }, asked, { may, isConfirmed });
    refuseUnconfirmed(change.snapshot, asked, isConfirmed);
    const { trusted, enabled, ...connection } = definition;
    const { trusted: wasTrusted, enabled: wasEnabled, ...before } = opened;
    const isOther = JSON.stringify(connection) !== JSON.stringify(before);
    // Otherwise, the encrypted values stay unchanged, whether they can be decrypted or not.
    const stored = isOther
      ? sealDefinition(runtime.options.secretBox, worldId, definition)
      : { definition: { ...server.definition, trusted, enabled }, sealed: server.sealed };
    // The sign-in is bound to the URL, so that the tokens can't be sent elsewhere.
    const keepsUrl = definition.transport === 'http' && opened.transport === 'http' && definition.url === opened.url;
    const signIn = keepsUrl ? server.signIn : null;
    const written = await writeFact(change.tx, {
      kind: 'mcp-server-changed',
      name,
      operation: 'update',
      row: { before: server, after: { ...stored, signIn } },
      decisions: [
        ...(trusted === wasTrusted ? [] : [trusted ? ('trusted' as const) : ('no longer trusted' as const)]),
        ...(enabled === wasEnabled ? [] : [enabled ? ('turned on' as const) : ('turned off' as const)]),
        ...(isOther ? (['changed'] as const) : []),
      ],
      shown: showDefinition(definition),
      by: signer,
    });
    mustHaveChanged(written);
    // The grants were given for another program under the same names.
    if (isOther) await revokeGrantsOf(change, isToolOf(name), signer, 'its MCP server was changed');
    if (accept === true) await acceptTools(change, name, signer);
  });
  await reload(runtime, worldId, name);
  return await showMcpServer(runtime, worldId, name);
}

/** Restarts a server with the definition that it has, so nothing new can be reached. With several processes, only this one's. */
export async function restartMcpServer(
  runtime: Runtime,
  worldId: string,
  name: string,
  signer: Signer,
): Promise<McpServer> {
  await changeWorld(runtime, 'restart-mcp-server', worldId, async (change) => {
    const { definition } = await serverOf(change, name);
    refuseOff(definition, 'restart');
    const shown = showDefinition(definition);
    const decisions = ['restarted'] as const;
    await writeFact(change.tx, { kind: 'mcp-server-changed', name, operation: 'update', decisions, shown, by: signer });
  });
  await runtime.mcp?.reload(worldId, name);
  await runtime.mcp?.stop(worldId, name);
  runtime.mcp?.start(worldId, name).catch(() => undefined);
  return (await showMcpServer(runtime, worldId, name)).value;
}

function refuseOff({ name, enabled }: Pick<McpServer, 'name' | 'enabled'>, doing: string): void {
  if (!enabled)
    throw new CountersignError('conflict', `The MCP server "${name}" is turned off. Turn it on to ${doing} it.`);
}

/** Only admins of the whole server choose URLs whose names may point to a private address (SAFE2). */
function limited(after: McpServerDefinition, before: McpServerDefinition | undefined, may: May): McpServerDefinition {
  if (after.transport !== 'http') return after;
  const isSame = before?.transport === 'http' && before.url === after.url && (before.enabled || !after.enabled);
  if (isSame) return after;
  const { publicOnly: _, ...plain } = after;
  return may('admin') ? plain : { ...plain, publicOnly: true };
}

/**
 * The definition to change. If its values can't be decrypted, a change to the connection must replace all of them, and is refused without a
 * secrets key.
 */
function openedFor(
  runtime: Runtime,
  server: McpServerRecord,
  sent: Omit<McpServerChange, 'accept'>,
): McpServerDefinition {
  const opened = openDefinition(runtime.options.secretBox, server);
  if (opened.ok) return opened.definition;
  const { trusted: _trusted, enabled: _enabled, ...connection } = sent;
  if (Object.keys(connection).length === 0) return server.definition;
  // The new values would be stored in plain text.
  if (runtime.options.secretBox === undefined) {
    const sentence =
      `the values of the MCP server "${server.name}" are encrypted, and this process has no secrets key. ` +
      'Change the server in the process that has the key, or remove it and add it again';
    throw new CountersignError('conflict', sentence);
  }
  const field = server.definition.transport === 'stdio' ? 'env' : 'headers';
  const replaced = sent[field];
  const target = server.definition.transport === 'stdio' ? 'command' : 'url';
  const keepsNone = replaced !== undefined && Object.values(replaced).every((value) => value !== null);
  // The target must be sent too: someone who can write to the database may have chosen the stored one.
  if (keepsNone && sent[target] !== undefined) return server.definition;
  const sentence = `MCP server: ${field}: the stored values ${opened.problem}. Enter the ${target} and all values again`;
  throw new CountersignError('invalid', sentence, { field });
}

/** Encrypts values that a process without a secrets key stored in plain text. A failure is reported and retried at the next start. */
export async function sealStoredValues(runtime: Runtime): Promise<void> {
  if (runtime.options.secretBox === undefined) return;
  const clear = await runtime.store.read(async (reader) => {
    const servers = await Promise.all((await reader.worlds()).map(({ id }) => reader.mcpServers(id)));
    return servers.flat().filter(isInClear);
  });
  for (const { worldId, name } of clear) {
    try {
      await changeWorld(runtime, 'seal-mcp-server', worldId, async ({ tx }) => {
        const server = await tx.mcpServer(worldId, name);
        if (server === undefined || !isInClear(server)) return;
        const sealed = sealDefinition(runtime.options.secretBox, worldId, server.definition);
        await tx.updateMcpServer(server, { ...sealed, signIn: server.signIn });
      });
    } catch (error) {
      runtime.report(error, `failed to encrypt the values of the MCP server "${name}"`);
    }
  }
}

/** Accepts the current tool definitions: rules apply again, and new grants can be given. */
async function acceptTools(change: WorldChange, name: string, signer: Signer): Promise<void> {
  for (const tool of await change.tx.mcpTools(change.snapshot.world.id, name)) {
    if (tool.seen === null) continue;
    const isKnown = tool.seenDigest === tool.acceptedDigest;
    if (isKnown && tool.reviewed) continue;
    const accepted = { ...tool, accepted: tool.seen, acceptedDigest: tool.seenDigest, reviewed: true };
    const record = { decision: 'accepted', by: signer } as const;
    await writeFact(change.tx, { kind: 'mcp-tool-changed', tool: accepted, record });
  }
}

/** Also revokes the server's grants: a server added later under the same name must not inherit them (CALL17). */
export async function removeMcpServer(
  runtime: Runtime,
  worldId: string,
  name: string,
  signer: Signer,
  expected?: Expected,
): Promise<void> {
  await changeWorld(runtime, 'remove-mcp-server', worldId, async (change) => {
    const server = await serverOf(change, name);
    refuseStale(
      mcpServerVersion(runtime.store.hashKey, await withTools(change.tx, server)),
      expected,
      'this MCP server',
    );
    await writeFact(change.tx, {
      kind: 'mcp-server-changed',
      name,
      operation: 'delete',
      row: { remove: server },
      decisions: ['removed'],
      shown: showDefinition(server.definition),
      by: signer,
    });
    await revokeGrantsOf(change, isToolOf(name), signer, 'its MCP server was removed');
  });
  await runtime.mcp?.reload(worldId, name);
}

/** In the order in which they were added. */
export async function listMcpServers(runtime: Runtime, worldId: string): Promise<McpServer[]> {
  const found = await readWorld(runtime, worldId, async (reader) => {
    const servers = await reader.mcpServers(worldId);
    return await Promise.all(servers.map((server) => withTools(reader, server)));
  });
  return found.map((server) => showServer(runtime, server));
}

/**
 * One server with its latest state. The version also changes with the server's tools, so that people accept only definitions they have seen.
 */
export async function showMcpServer(runtime: Runtime, worldId: string, name: string): Promise<Versioned<McpServer>> {
  const found = await readWorld(runtime, worldId, async (reader) => {
    const server = await reader.mcpServer(worldId, name);
    return server === undefined ? undefined : await withTools(reader, server);
  });
  if (found === undefined) throw noServer(name);
  return { value: showServer(runtime, found, { log: true }), version: mcpServerVersion(runtime.store.hashKey, found) };
}

/** Starts a server if needed and lists its tools. Doesn't reject if that fails: the returned state says why. */
export async function testMcpServer(runtime: Runtime, worldId: string, name: string): Promise<McpServer> {
  const { value } = await showMcpServer(runtime, worldId, name);
  refuseOff(value, 'test');
  await runtime.mcp?.reload(worldId, name);
  await runtime.mcp?.test(worldId, name).catch(() => undefined);
  return (await showMcpServer(runtime, worldId, name)).value;
}

/** A server's prompts and resources. Empty if there is no MCP host. */
export async function listMcpContext(runtime: Runtime, worldId: string, name: string): Promise<McpContext> {
  await showMcpServer(runtime, worldId, name);
  if (runtime.mcp === undefined) return { prompts: [], resources: [] };
  return await runtime.mcp.context(worldId, name).catch(refuseContext);
}

/** The text of a prompt or resource. It is untrusted, so people see it before they send it to a model. */
export async function readMcpContext(
  runtime: Runtime,
  worldId: string,
  name: string,
  wanted: McpContextRequest,
): Promise<string> {
  await showMcpServer(runtime, worldId, name);
  if (runtime.mcp === undefined) throw new CountersignError('conflict', 'This process runs no MCP servers.');
  const text = await runtime.mcp.readContext(worldId, name, wanted).catch(refuseContext);
  return maskText(text).value;
}

function refuseContext(error: unknown): never {
  throw new CountersignError('conflict', `The MCP server did not answer: ${errorMessage(error)}`, { cause: error });
}

/** Reloads the record in the host and starts the server in the background. Its state shows whether that worked. */
export async function reload(runtime: Runtime, worldId: string, name: string): Promise<void> {
  await runtime.mcp?.reload(worldId, name);
  runtime.mcp?.start(worldId, name).catch(() => undefined);
}

function isToolOf(name: string): (toolName: string) => boolean {
  return (toolName) => toolName.startsWith(`mcp__${name}__`);
}
