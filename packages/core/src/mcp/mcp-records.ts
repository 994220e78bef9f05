import { SYSTEM } from '@countersign/protocol';
import type {
  McpRecords,
  McpServerRecord,
  McpServerWithTools,
  OpenedMcpServer,
  McpToolDefinition,
  McpToolRecord,
  StoreReader,
} from '../ports/index.js';
import { maskText } from '../masking/index.js';
import { protectPaths, NO_RULES } from '../policy/index.js';
import { openDefinition, openSignIn } from './mcp-secrets.js';
import { renewTokens } from './mcp-tokens.js';
import { definitionDigest, describeDifference } from '../evidence/mcp-difference.js';
import { noWorld, changeWorld, mustHaveChanged } from '../step/commit.js';
import { revokeGrantsOf } from '../decisions/revoke-grant.js';
import type { Runtime, WorldChange } from '../step/runtime.js';
import { writeFact } from '../step/write-fact.js';

/** Store access for the MCP host. */
export function createMcpRecords(runtimeOf: () => Runtime): McpRecords {
  const read = <T>(work: (reader: StoreReader) => Promise<T>): Promise<T> => runtimeOf().store.read(work);
  /** The server with the values of its variables and headers. */
  function opened(found: McpServerWithTools): OpenedMcpServer {
    const { secretBox } = runtimeOf().options;
    const values = openDefinition(secretBox, found.server);
    if (!values.ok) return { ...found, problem: `the values of its variables or headers ${values.problem}` };
    const signIn = openSignIn(secretBox, found.server);
    const signedIn = signIn === undefined || signIn === 'unreadable' ? {} : { signIn };
    return { ...found, server: { ...found.server, definition: values.definition }, ...signedIn };
  }
  return {
    isShared: () => runtimeOf().store.shared !== undefined,
    all: () =>
      read(async (reader) => {
        const found: OpenedMcpServer[] = [];
        for (const world of await reader.worlds())
          for (const server of await reader.mcpServers(world.id)) found.push(opened(await withTools(reader, server)));
        return found;
      }),
    one: (worldId, name) =>
      read(async (reader) => {
        const server = await reader.mcpServer(worldId, name);
        return server === undefined ? undefined : opened(await withTools(reader, server));
      }),
    async listed(worldId, name, tools) {
      const listing = tools.map((tool) => ({ ...tool, digest: definitionDigest(tool.definition) }));
      const known = await this.one(worldId, name);
      // Usually nothing changed, so there is nothing to write or publish.
      if (known === undefined || isAsListed(known, listing)) return known;
      await changeWorld(runtimeOf(), 'mcp-listed', worldId, (change) => writeListing(change, name, listing));
      return await this.one(worldId, name);
    },
    async place(worldId, name) {
      const runtime = runtimeOf();
      const snapshot = await read((reader) => runtime.caches.snapshots.read(reader, worldId));
      if (snapshot === undefined) throw noWorld(worldId);
      const place = runtime.findPlace(snapshot);
      const policies = { admin: snapshot.adminPolicy, world: snapshot.policy, agent: NO_RULES };
      const protectedPaths = protectPaths(policies, { tool: anyToolOf(name), subjects: [], place });
      const { workingDirectory, grants } = place;
      return {
        workingDirectory,
        ...(protectedPaths === undefined ? {} : { protectedPaths }),
        ...(grants === undefined ? {} : { grants }),
      };
    },
    renewTokens: (worldId, name, used, refresh) => renewTokens(runtimeOf(), { worldId, name, used, refresh }),
    async notifyChanged(worldId, name) {
      await changeWorld(runtimeOf(), 'mcp-changed', worldId, async (change) => {
        if ((await change.tx.mcpServer(worldId, name)) === undefined) return;
        await writeFact(change.tx, { kind: 'mcp-server-changed', name, operation: 'update' });
      });
    },
    report: (error, what) => runtimeOf().report(error, what),
  };
}

/**
 * A name for matching rules that apply to the server itself. Only rules for all of its tools match, because individual tools may have different
 * rules.
 */
function anyToolOf(server: string): string {
  return `mcp__${server}__\0`;
}

interface Listed {
  name: string;
  definition: McpToolDefinition;
  digest: string;
}

export async function withTools(reader: StoreReader, server: McpServerRecord): Promise<McpServerWithTools> {
  return { server, tools: await reader.mcpTools(server.worldId, server.name) };
}

function isAsListed({ server, tools }: McpServerWithTools, listing: readonly Listed[]): boolean {
  const seen = tools.filter((tool) => tool.seen !== null);
  const digests = new Map(seen.map((tool) => [tool.name, tool.seenDigest]));
  return (
    server.firstListedAt !== null &&
    seen.length === listing.length &&
    listing.every(({ name, digest }) => digests.get(name) === digest)
  );
}

async function writeListing(change: WorldChange, name: string, listing: readonly Listed[]): Promise<void> {
  const worldId = change.snapshot.world.id;
  const server = await change.tx.mcpServer(worldId, name);
  if (server === undefined) return;
  // Locks the server: concurrent listings by two processes, or a person who accepts tools, would overwrite each other.
  mustHaveChanged(await change.tx.updateMcpServer(server, server));
  const isFirst = server.firstListedAt === null && (await change.tx.setMcpServerListed(worldId, name));
  const known = new Map((await change.tx.mcpTools(worldId, name)).map((tool) => [tool.name, tool]));
  for (const { name: toolName, definition, digest } of listing) {
    const before = known.get(toolName);
    known.delete(toolName);
    if (before?.seenDigest === digest) continue;
    // Pin the first complete list, which the person who added the server sees. Tools that the server adds later are not accepted.
    const pinned = isFirst
      ? { accepted: definition, acceptedDigest: digest }
      : { accepted: null, acceptedDigest: null };
    const kept = before ?? { worldId, server: name, name: toolName, ...pinned, reviewed: false };
    const tool: McpToolRecord = { ...kept, seen: definition, seenDigest: digest };
    await writeTool(change, tool);
  }
  for (const gone of known.values()) {
    if (gone.seen === null) continue;
    // If a tool is removed before anyone reviewed it, clear its acceptance, or it could return later as accepted.
    const accepted = gone.reviewed ? {} : { accepted: null, acceptedDigest: null };
    const tool = { ...gone, ...accepted, seen: null, seenDigest: null };
    await writeFact(change.tx, { kind: 'mcp-tool-changed', tool });
  }
  // Increments `rev`, so that a call that is just starting is judged again.
  await change.tx.updateWorld(worldId, {});
  await writeFact(change.tx, { kind: 'mcp-server-changed', name, operation: 'update' });
}

/** Writes a listed tool. If it changed, its grants are revoked (CALL5), because people gave them for the old definition. */
async function writeTool(change: WorldChange, tool: McpToolRecord): Promise<void> {
  const difference = describeDifference(tool);
  if (difference === undefined) {
    await writeFact(change.tx, { kind: 'mcp-tool-changed', tool });
    return;
  }
  const record = { decision: 'changed', why: maskText(difference).value, by: { who: SYSTEM } } as const;
  await writeFact(change.tx, { kind: 'mcp-tool-changed', tool, record });
  await revokeGrantsOf(change, (toolName) => toolName === tool.name, { who: SYSTEM }, 'its tool changed');
}
