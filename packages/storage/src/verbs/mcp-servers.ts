import type { McpServerRecord, McpToolDefinition, McpToolRecord, StoreTransaction } from '@countersign/core/ports';
import { CountersignError, storedMcpValuesSchema, type McpServerDefinition } from '@countersign/protocol';
import type { Connection } from '../connection.js';
import type { TransactionState } from '../transaction-state.js';
import type { ServerRow, ToolRow, McpServerStatements } from '../queries/mcp-servers.js';

type McpServerVerbs = Pick<
  StoreTransaction,
  | 'mcpServer'
  | 'mcpServers'
  | 'mcpTools'
  | 'insertMcpServer'
  | 'updateMcpServer'
  | 'setMcpServerListed'
  | 'deleteMcpServer'
  | 'putMcpTool'
>;

export function mcpServerVerbs(on: Connection, s: McpServerStatements, state: TransactionState): McpServerVerbs {
  const server = on.first(s.mcpServer, toServer);
  const servers = on.all(s.mcpServers, toServer);
  const insertServer = on.run(s.insertMcpServer);
  const updateServer = on.run(s.updateMcpServer);
  const setListed = on.run(s.setMcpServerListed);
  const deleteServer = on.run(s.deleteMcpServer);
  const tools = on.all(s.mcpTools, toTool);
  const putTool = on.run(s.putMcpTool);
  const deleteTools = on.run(s.deleteMcpTools);

  return {
    mcpServer: async (worldId, name) => server({ worldId, name }),
    mcpServers: async (worldId) => servers({ worldId }),
    mcpTools: async (worldId, name) => tools({ worldId, name }),
    async insertMcpServer(record) {
      if ((await insertServer({ ...record, definition: definitionText(record) })) === 1) return;
      throw new CountersignError('conflict', `an MCP server named "${record.name}" already exists in this world`, {
        field: 'name',
      });
    },
    async updateMcpServer({ worldId, name, ...before }, after) {
      const texts = { before: definitionText(before), definition: definitionText(after) };
      return (await updateServer({ worldId, name, ...texts })) === 1;
    },
    setMcpServerListed: async (worldId, name) => (await setListed({ worldId, name, now: state.now })) === 1,
    async deleteMcpServer(worldId, name) {
      // Delete the server before its tools: a listing locks in this order, and the reverse would deadlock.
      const isDeleted = (await deleteServer({ worldId, name })) === 1;
      await deleteTools({ worldId, name });
      return isDeleted;
    },
    async putMcpTool(record) {
      await putTool({
        ...record,
        accepted: asText(record.accepted),
        seen: asText(record.seen),
        reviewed: record.reviewed ? 1 : 0,
      });
    },
  };
}

function asText(definition: McpToolDefinition | null): string | null {
  return definition === null ? null : JSON.stringify(definition);
}

/** The encrypted parts are fields in the same JSON text, so that one compare-and-set covers everything. */
function definitionText({
  definition,
  sealed,
  signIn,
}: Pick<McpServerRecord, 'definition' | 'sealed' | 'signIn'>): string {
  const encrypted = { ...(sealed === null ? {} : { sealed }), ...(signIn === null ? {} : { signIn }) };
  return JSON.stringify({ ...definition, ...encrypted });
}

function toServer([worldId, name, text, firstListedAt, createdAt]: ServerRow): McpServerRecord {
  const parsed = JSON.parse(text) as McpServerDefinition & { sealed?: unknown; signIn?: unknown };
  const { sealed: values, signIn: tokens, ...definition } = parsed;
  const sealed = storedMcpValuesSchema.parse(values) ?? null;
  const signIn = storedMcpValuesSchema.parse(tokens) ?? null;
  return { worldId, name, definition, sealed, signIn, firstListedAt, createdAt };
}

export function toTool([
  worldId,
  name,
  server,
  accepted,
  acceptedDigest,
  seen,
  seenDigest,
  reviewed,
]: ToolRow): McpToolRecord {
  const read = (text: string | null) => (text === null ? null : (JSON.parse(text) as McpToolDefinition));
  const definitions = { accepted: read(accepted), acceptedDigest, seen: read(seen), seenDigest };
  return { worldId, name, server, ...definitions, reviewed: reviewed === 1 };
}
