import type { Migration } from './ddl.js';

/**
 * Only raises the version: the text of an MCP server can now contain an encrypted sign-in. An older program would treat it as part of the
 * definition and export it.
 */
export const storeMcpSignIns: Migration = () => [];
