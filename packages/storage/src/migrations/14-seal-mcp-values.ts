import type { Migration } from './ddl.js';

/**
 * Only raises the version: MCP server definitions can now contain encrypted values. An older program would open the store and start the servers
 * with empty values.
 */
export const sealMcpValues: Migration = () => [];
