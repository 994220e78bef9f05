import { mcpToolColumns } from '../columns.js';
import { prepared, valuesOf, type Cells, type Queries, type RowOf } from './prepared.js';
import type { McpServersTable, McpToolsTable } from '../schema.js';

const serverColumns = [
  'world_id',
  'name',
  'definition',
  'first_listed_at',
  'created_at',
] as const satisfies readonly (keyof McpServersTable)[];
export type ServerRow = Cells<McpServersTable, typeof serverColumns>;
export type ToolRow = Cells<McpToolsTable, typeof mcpToolColumns>;
type ByName = { worldId: string; name: string };

export type McpServerStatements = ReturnType<typeof mcpServerStatements>;

export function mcpServerStatements(db: Queries) {
  const servers = db.selectFrom('mcp_servers').select(serverColumns);
  const tools = db.selectFrom('mcp_tools').select(mcpToolColumns);
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
    updateMcpServer: prepared<ByName & { before: string; definition: string }>((p) =>
      db
        .updateTable('mcp_servers')
        .set({ definition: p('definition') })
        .where('world_id', '=', p('worldId'))
        .where('name', '=', p('name'))
        .where('definition', '=', p('before')),
    ),
    setMcpServerListed: prepared<ByName & { now: number }>((p) =>
      db
        .updateTable('mcp_servers')
        .set({ first_listed_at: p('now') })
        .where('world_id', '=', p('worldId'))
        .where('name', '=', p('name'))
        .where('first_listed_at', 'is', null),
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
        .values(valuesOf(mcpToolColumns, p))
        .onConflict((conflict) =>
          conflict.columns(['world_id', 'name']).doUpdateSet((row) => ({
            server: row.ref('excluded.server'),
            accepted: row.ref('excluded.accepted'),
            accepted_digest: row.ref('excluded.accepted_digest'),
            seen: row.ref('excluded.seen'),
            seen_digest: row.ref('excluded.seen_digest'),
            reviewed: row.ref('excluded.reviewed'),
          })),
        ),
    ),
    deleteMcpTools: prepared<ByName>((p) =>
      db.deleteFrom('mcp_tools').where('world_id', '=', p('worldId')).where('server', '=', p('name')),
    ),
  };
}
