import { mcpServers, mcpTools, type Cells } from '../schema.js';
import { insertInto, prepared } from './prepared.js';

export type ServerRow = Cells<typeof mcpServers>;
export type ToolRow = Cells<typeof mcpTools>;
type ByName = { worldId: string; name: string };

export type McpServerStatements = typeof mcpServerStatements;

const servers = `select ${mcpServers.names.join(', ')} from mcp_servers`;
const tools = `select ${mcpTools.names.join(', ')} from mcp_tools`;
const byName = 'where world_id = :worldId and name = :name';
const ofServer = 'where world_id = :worldId and server = :name';
const replaced = mcpTools.names.slice(2).map((column) => `${column} = excluded.${column}`);

export const mcpServerStatements = {
  mcpServer: prepared<ByName, ServerRow>(`${servers} ${byName}`),
  mcpServers: prepared<{ worldId: string }, ServerRow>(`${servers} where world_id = :worldId order by ordinal`),
  insertMcpServer: insertInto(mcpServers, ' on conflict (world_id, name) do nothing'),
  updateMcpServer: prepared<ByName & { before: string; definition: string }>(
    `update mcp_servers set definition = :definition ${byName} and definition = :before`,
  ),
  setMcpServerListed: prepared<ByName & { now: number }>(
    `update mcp_servers set first_listed_at = :now ${byName} and first_listed_at is null`,
  ),
  deleteMcpServer: prepared<ByName>(`delete from mcp_servers ${byName}`),
  mcpTool: prepared<ByName, ToolRow>(`${tools} ${byName}`),
  mcpTools: prepared<ByName, ToolRow>(`${tools} ${ofServer} order by name`),
  putMcpTool: insertInto(mcpTools, ` on conflict (world_id, name) do update set ${replaced.join(', ')}`),
  deleteMcpTools: prepared<ByName>(`delete from mcp_tools ${ofServer}`),
};
