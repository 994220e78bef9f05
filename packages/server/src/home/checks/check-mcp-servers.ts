import { listOf, mcpServerSchema, worldSchema, type McpServer } from '@countersign/protocol';
import type { Finding } from './check-models.js';
import { readFrom } from './read-from.js';

/** The MCP servers of a running server that need a person: those that failed, and those that need a sign-in. Starts none. */
export async function checkMcpServers(url: string, home: string, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const get = readFrom(url, home, env);
  try {
    const { items: worlds } = listOf(worldSchema).parse(await get('worlds'));
    const findings = worlds.map(async ({ id }) => {
      const { items } = listOf(mcpServerSchema).parse(await get(`worlds/${encodeURIComponent(id)}/mcp-servers`));
      return items.flatMap((server) => describeServer(server, id) ?? []);
    });
    return (await Promise.all(findings)).flat();
  } catch {
    // The check of the models already says that this server doesn't answer us.
    return [];
  }
}

function describeServer({ name, status, cause }: McpServer, world: string): Finding | undefined {
  if (status !== 'failed') return undefined;
  const finding = { what: `mcp ${name}`, state: 'warning' } as const;
  return cause?.code === 'sign-in'
    ? {
        ...finding,
        detail: `needs sign-in, in "${world}"`,
        advice: `Run countersign mcp login ${name} -w ${world}`,
      }
    : { ...finding, detail: `does not start, in "${world}"`, advice: `Run countersign mcp test ${name} -w ${world}` };
}
