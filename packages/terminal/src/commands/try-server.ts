import type { Client } from '@countersign/client';
import type { McpServer } from '@countersign/protocol';
import { plainLine } from '../text/plain-text.js';

/** A little longer than a server gives an MCP server to start. */
const PATIENCE_MS = 35_000;
const LOOK_AGAIN_MS = 200;

/** The server starts a new MCP server by itself. Waits until it runs or has failed, with a deadline. */
export async function tryServer(client: Client, world: string, added: McpServer): Promise<McpServer> {
  const end = Date.now() + PATIENCE_MS;
  let server = added;
  while (isStarting(server) && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    server = (await client.mcpServer(world, server.name)).value;
  }
  return server;
}

function isStarting({ status, error }: McpServer): boolean {
  return status === 'starting' || (status === 'idle' && error === undefined);
}

/** Whether it does what was asked: it runs, or was added turned off. */
export function isUp({ status }: McpServer): boolean {
  return status === 'running' || status === 'off';
}

/** What came of adding it, in sentences. */
export function describeTry({ name, status, error, tools, trusted }: McpServer, world: string): string {
  const rights = trusted
    ? 'Its read-only tools run without approval. Its other tools need approval unless a rule allows them.'
    : 'Its tools need approval unless a rule allows them.';
  const added = `Added "${name}" to "${world}"`;
  const next = `See its output with: countersign mcp show ${name} -w ${world}. Change it with: countersign mcp edit ${name} -w ${world}`;
  switch (status) {
    case 'running': {
      const count = tools.length === 1 ? '1 tool' : `${tools.length} tools`;
      const problem = error === undefined ? '' : ` ${plainLine(error)}.`;
      const names = tools.map((tool) => `\n  ${plainLine(tool)}`).join('');
      return `${added}. It runs and offers ${count}.${problem} ${rights}${names}`;
    }
    case 'failed':
    case 'idle':
      return `${added}, but it did not start: ${plainLine(error ?? 'it gave no reason')}\nIt stays in the list, turned on. ${next}`;
    case 'starting':
      return `${added}, but it has not answered within ${PATIENCE_MS / 1000} seconds.\nIt stays in the list and is tried again when it is needed. ${next}`;
    case 'off':
      return `${added}. It is off. ${rights}`;
  }
}
