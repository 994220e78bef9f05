import type { McpCause } from '@countersign/protocol';

/** What would fix the cause: network access for this server, a rule in the world, or a sign-in. */
export type McpFix = { kind: 'network' } | { kind: 'sign-in' } | { kind: 'rule'; rule: string };

/** Why an MCP server doesn't start: a restriction of its sandbox, or a missing sign-in. */
export function mcpCauseText(cause: McpCause): string {
  switch (cause.code) {
    case 'no-network':
      return cause.runner === undefined
        ? "This server's sandbox has no network access. If the server needs it, allow it."
        : `${cause.runner} needs the network to download packages, but this server's sandbox has no network access. Allow network access, or install the package first.`;
    case 'refused-host': {
      const { host, address, port, rule } = cause;
      const at = address === host ? '' : ` (${address})`;
      const refused = `This server's sandbox refused a connection to ${host}${port === undefined ? '' : `:${port}`}${at}, because it is not a public address.`;
      return `${refused} ${rule === undefined ? 'No rule can allow it.' : `This rule would allow it: ${rule}`}`;
    }
    case 'sign-in':
      return cause.expired
        ? 'The sign-in to this server has expired. Sign in again.'
        : 'This server requires a sign-in.';
  }
}

/** Undefined if no setting can fix it, or if the rule still needs a port. */
export function mcpCauseFix(cause: McpCause): McpFix | undefined {
  switch (cause.code) {
    case 'no-network':
      return { kind: 'network' };
    case 'refused-host':
      return cause.rule === undefined || cause.port === undefined ? undefined : { kind: 'rule', rule: cause.rule };
    case 'sign-in':
      return { kind: 'sign-in' };
  }
}
