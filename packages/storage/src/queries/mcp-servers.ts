import { mcpToolColumns } from '../columns.js';
import type { McpServersTable, McpToolsTable } from '../schema.js';
import { insertInto, prepared, type Cells } from './prepared.js';

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

export type McpServerStatements = typeof mcpServerStatements;

const servers = `select ${serverColumns.join(', ')} from mcp_servers`;
const tools = `select ${mcpToolColumns.join(', ')} from mcp_tools`;
const byName = 'where world_id = :worldId and name = :name';
const ofServer = 'where world_id = :worldId and server = :name';
const replaced = mcpToolColumns.slice(2).map((column) => `${column} = excluded.${column}`);

export const mcpServerStatements = {
  mcpServer: prepared<ByName, ServerRow>(`${servers} ${byName}`),
  mcpServers: prepared<{ worldId: string }, ServerRow>(`${servers} where world_id = :worldId order by ordinal`),
  insertMcpServer: insertInto<McpServersTable>(
    'mcp_servers',
    serverColumns,
    ' on conflict (world_id, name) do nothing',
  ),
  updateMcpServer: prepared<ByName & { before: string; definition: string }>(
    `update mcp_servers set definition = :definition ${byName} and definition = :before`,
  ),
  setMcpServerListed: prepared<ByName & { now: number }>(
    `update mcp_servers set first_listed_at = :now ${byName} and first_listed_at is null`,
  ),
  deleteMcpServer: prepared<ByName>(`delete from mcp_servers ${byName}`),
  mcpTool: prepared<ByName, ToolRow>(`${tools} ${byName}`),
  mcpTools: prepared<ByName, ToolRow>(`${tools} ${ofServer} order by name`),
  putMcpTool: insertInto<McpToolsTable>(
    'mcp_tools',
    mcpToolColumns,
    ` on conflict (world_id, name) do update set ${replaced.join(', ')}`,
  ),
  deleteMcpTools: prepared<ByName>(`delete from mcp_tools ${ofServer}`),
};
