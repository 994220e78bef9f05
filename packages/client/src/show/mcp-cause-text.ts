import type { McpCause } from '@countersign/protocol';

/** The sandbox restriction that prevents an MCP server from starting, and what to do. */
export function mcpCauseText(cause: McpCause, { server, world }: { server: string; world: string }): string {
  switch (cause.code) {
    case 'no-network': {
      const allow = `countersign mcp edit ${server} -w ${world} --network`;
      return cause.runner === undefined
        ? `This server’s sandbox has no network. If the server needs one, allow it with: ${allow}`
        : `${cause.runner} downloads packages, and this server’s sandbox has no network. Install the package first, or allow the network with: ${allow}`;
    }
    case 'refused-host': {
      const { host, address, port, rule } = cause;
      const at = address === host ? '' : ` (${address})`;
      const refused = `This server’s sandbox refused a connection to ${host}${port === undefined ? '' : `:${port}`}${at}, because it is not a public address.`;
      return `${refused} ${rule === undefined ? 'No rule can allow it.' : `This rule would allow it: ${rule}`}`;
    }
  }
}
