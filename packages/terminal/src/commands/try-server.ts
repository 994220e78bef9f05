import type { Client } from '@countersign/client';
import type { McpServer } from '@countersign/protocol';
import type { CommandContext } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { plainLine } from '../text/plain-text.js';
import { showDone } from './show-list.js';

/** A little longer than a server gives an MCP server to start. */
const PATIENCE_MS = 35_000;
const LOOK_AGAIN_MS = 200;

/**
 * The server starts an MCP server that was added, changed or restarted by itself. Waits until it runs or has failed, with a deadline,
 * and says which; `done` is what was done to it, such as `Added "files" to "ops"`.
 */
export async function tryServer(
  context: CommandContext,
  world: string,
  server: McpServer,
  done: string,
): Promise<ExitCode> {
  if (server.enabled && context.isPerson) context.note(`Starting "${server.name}"…`);
  const tried = await settledServer(await context.client(), world, server);
  showDone(context, describeTry(tried, world, done), tried);
  return isUp(tried) ? EXIT.ok : EXIT.failed;
}

async function settledServer(client: Client, world: string, before: McpServer): Promise<McpServer> {
  const end = Date.now() + PATIENCE_MS;
  let server = before;
  while (isStarting(server) && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    server = (await client.mcpServer(world, server.name)).value;
  }
  return server;
}

function isStarting({ status, error }: McpServer): boolean {
  return status === 'starting' || (status === 'idle' && error === undefined);
}

/** Whether it does what was asked: it runs, or is turned off. */
function isUp({ status }: McpServer): boolean {
  return status === 'running' || status === 'off';
}

function describeTry({ name, status, error, tools, trusted }: McpServer, world: string, done: string): string {
  const rights = trusted
    ? 'Its read-only tools run without approval. Its other tools need approval unless a rule allows them.'
    : 'Its tools need approval unless a rule allows them.';
  const next = `See its output with: countersign mcp show ${name} -w ${world}. Change it with: countersign mcp edit ${name} -w ${world}`;
  switch (status) {
    case 'running': {
      const count = tools.length === 1 ? '1 tool' : `${tools.length} tools`;
      const problem = error === undefined ? '' : ` ${plainLine(error)}.`;
      const names = tools.map((tool) => `\n  ${plainLine(tool)}`).join('');
      return `${done}. It runs and offers ${count}.${problem} ${rights}${names}`;
    }
    case 'failed':
    case 'idle':
      return `${done}, but it did not start: ${plainLine(error ?? 'it gave no reason')}\nIt stays in the list, turned on. ${next}`;
    case 'starting':
      return `${done}, but it has not answered within ${PATIENCE_MS / 1000} seconds.\nIt stays in the list and is tried again when it is needed. ${next}`;
    case 'off':
      return `${done}. It is off. ${rights}`;
  }
}
