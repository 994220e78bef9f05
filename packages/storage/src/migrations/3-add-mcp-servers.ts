import type { Migration } from './ddl.js';

export const addMcpServers: Migration = ({ integer, ordinal, plain, clustered }) => [
  `create table mcp_servers (
    ordinal ${ordinal},
    world_id text not null,
    name text not null,
    definition text not null,
    first_listed_at ${integer},
    created_at ${integer} not null,
    unique (world_id, name)
  ) ${plain}`,

  // Keyed by tool name: the gate looks up the tool before each call to an MCP tool.
  `create table mcp_tools (
    world_id text not null,
    name text not null,
    server text not null,
    accepted text,
    accepted_digest text,
    seen text,
    seen_digest text,
    primary key (world_id, name)
  ) ${clustered}`,
];
