import type { McpServerRecord, McpToolDefinition, McpToolRecord, StoreTransaction } from '@countersign/core/ports';
import { CountersignError, type McpServerDefinition } from '@countersign/protocol';
import type { Connection } from '../connection.js';
import { prepared, valuesOf, type Cells, type Queries, type RowOf } from '../prepared.js';
import type { McpServersTable, McpToolsTable } from '../schema.js';

const serverColumns = [
  'world_id',
  'name',
  'definition',
  'first_listed_at',
  'created_at',
] as const satisfies readonly (keyof McpServersTable)[];
const toolColumns = [
  'world_id',
  'name',
  'server',
  'accepted',
  'accepted_digest',
  'seen',
  'seen_digest',
] as const satisfies readonly (keyof McpToolsTable)[];

type ServerRow = Cells<McpServersTable, typeof serverColumns>;
type ToolRow = Cells<McpToolsTable, typeof toolColumns>;
type ByName = { worldId: string; name: string };

export type McpServerStatements = ReturnType<typeof mcpServerStatements>;

export function mcpServerStatements(db: Queries) {
  const servers = db.selectFrom('mcp_servers').select(serverColumns);
  const tools = db.selectFrom('mcp_tools').select(toolColumns);
  return {
    mcpServer: prepared<ByName, ServerRow>((p) =>
      servers.where('world_id', '=', p('worldId')).where('name', '=', p('name')),
    ),
    mcpServers: prepared<{ worldId: string }, ServerRow>((p) =>
      servers.where('world_id', '=', p('worldId')).orderBy('ordinal'),
    ),
    insertMcpServer: prepared<RowOf<McpServersTable>>((p) =>
      db
        .insertInto('mcp_servers')
        .values(valuesOf(serverColumns, p))
        .onConflict((conflict) => conflict.columns(['world_id', 'name']).doNothing()),
    ),
    updateMcpServer: prepared<ByName & { definition: string; firstListedAt: number | null }>((p) =>
      db
        .updateTable('mcp_servers')
        .set({ definition: p('definition'), first_listed_at: p('firstListedAt') })
        .where('world_id', '=', p('worldId'))
        .where('name', '=', p('name')),
    ),
    deleteMcpServer: prepared<ByName>((p) =>
      db.deleteFrom('mcp_servers').where('world_id', '=', p('worldId')).where('name', '=', p('name')),
    ),
    mcpTool: prepared<ByName, ToolRow>((p) => tools.where('world_id', '=', p('worldId')).where('name', '=', p('name'))),
    mcpTools: prepared<ByName, ToolRow>((p) =>
      tools.where('world_id', '=', p('worldId')).where('server', '=', p('name')).orderBy('name'),
    ),
    putMcpTool: prepared<RowOf<McpToolsTable>>((p) =>
      db
        .insertInto('mcp_tools')
        .values(valuesOf(toolColumns, p))
        .onConflict((conflict) =>
          conflict.columns(['world_id', 'name']).doUpdateSet((row) => ({
            server: row.ref('excluded.server'),
            accepted: row.ref('excluded.accepted'),
            accepted_digest: row.ref('excluded.accepted_digest'),
            seen: row.ref('excluded.seen'),
            seen_digest: row.ref('excluded.seen_digest'),
          })),
        ),
    ),
    deleteMcpTools: prepared<ByName>((p) =>
      db.deleteFrom('mcp_tools').where('world_id', '=', p('worldId')).where('server', '=', p('name')),
    ),
  };
}

type McpServerVerbs = Pick<
  StoreTransaction,
  | 'mcpServer'
  | 'mcpServers'
  | 'mcpTool'
  | 'mcpTools'
  | 'insertMcpServer'
  | 'updateMcpServer'
  | 'deleteMcpServer'
  | 'putMcpTool'
>;

export function mcpServerVerbs(on: Connection, s: McpServerStatements): McpServerVerbs {
  const server = on.first(s.mcpServer, toServer);
  const servers = on.all(s.mcpServers, toServer);
  const insertServer = on.run(s.insertMcpServer);
  const updateServer = on.run(s.updateMcpServer);
  const deleteServer = on.run(s.deleteMcpServer);
  const tool = on.first(s.mcpTool, toTool);
  const tools = on.all(s.mcpTools, toTool);
  const putTool = on.run(s.putMcpTool);
  const deleteTools = on.run(s.deleteMcpTools);

  return {
    mcpServer: async (worldId, name) => server({ worldId, name }),
    mcpServers: async (worldId) => servers({ worldId }),
    mcpTool: async (worldId, name) => tool({ worldId, name }),
    mcpTools: async (worldId, name) => tools({ worldId, name }),
    async insertMcpServer(record) {
      if ((await insertServer({ ...record, definition: JSON.stringify(record.definition) })) === 1) return;
      throw new CountersignError('conflict', `there is already an MCP server "${record.name}" in this world`, {
        field: 'name',
      });
    },
    async updateMcpServer({ worldId, name, definition, firstListedAt }) {
      await updateServer({ worldId, name, definition: JSON.stringify(definition), firstListedAt });
    },
    async deleteMcpServer(worldId, name) {
      await deleteTools({ worldId, name });
      return (await deleteServer({ worldId, name })) === 1;
    },
    async putMcpTool(record) {
      await putTool({ ...record, accepted: asText(record.accepted), seen: asText(record.seen) });
    },
  };
}

function asText(definition: McpToolDefinition | null): string | null {
  return definition === null ? null : JSON.stringify(definition);
}

function toServer([worldId, name, definition, firstListedAt, createdAt]: ServerRow): McpServerRecord {
  return { worldId, name, definition: JSON.parse(definition) as McpServerDefinition, firstListedAt, createdAt };
}

function toTool([worldId, name, server, accepted, acceptedDigest, seen, seenDigest]: ToolRow): McpToolRecord {
  const read = (text: string | null) => (text === null ? null : (JSON.parse(text) as McpToolDefinition));
  return { worldId, name, server, accepted: read(accepted), acceptedDigest, seen: read(seen), seenDigest };
}
