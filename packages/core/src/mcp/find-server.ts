import { CountersignError } from '@countersign/protocol';
import type { McpServerRecord } from '../ports/index.js';
import type { WorldChange } from '../step/runtime.js';

export async function serverOf(change: WorldChange, name: string): Promise<McpServerRecord> {
  const server = await change.tx.mcpServer(change.snapshot.world.id, name);
  if (server === undefined) throw noServer(name);
  return server;
}

export function noServer(name: string): CountersignError {
  return new CountersignError('not-found', `there is no MCP server "${name}" in this world`);
}
