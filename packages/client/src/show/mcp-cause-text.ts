import { NPM_REGISTRY, type McpCause, type McpServer } from '@countersign/protocol';

/** What would fix the cause: network access for this server, a rule in the world, or a sign-in. */
export type McpFix =
  | { kind: 'network' }
  /** `added`: the hosts to allow. `hosts`: the list with them. */
  | { kind: 'hosts'; added: readonly string[]; hosts: readonly string[] }
  | { kind: 'sign-in' }
  | { kind: 'rule'; rule: string };

/** Why an MCP server doesn't start: a restriction of its sandbox, or a missing sign-in. */
export function mcpCauseText(cause: McpCause): string {
  switch (cause.code) {
    case 'no-network':
      return cause.runner === undefined
        ? "This server's sandbox has no network access. If the server needs it, allow it."
        : `${cause.runner} needs the network to download packages, but this server's sandbox has no network access. ${downloadsFrom(cause.hosts)}, or install the package first.`;
    case 'unlisted-host':
      return `This server's sandbox refused a connection to ${cause.host}, because it is not in the server's list of hosts. If the server needs it, allow it.`;
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

/** Whether a server is only waiting for a person to sign in: nothing is broken. */
export function needsSignIn({ status, cause }: Pick<McpServer, 'status' | 'cause'>): boolean {
  return status === 'failed' && cause?.code === 'sign-in';
}

function downloadsFrom(hosts: readonly string[] | undefined): string {
  if (hosts === undefined) return 'Allow network access';
  const named = hosts.length === 1 && hosts[0] === NPM_REGISTRY ? `npm's registry (${NPM_REGISTRY})` : listed(hosts);
  return `Allow ${named} for this server`;
}

function listed(hosts: readonly string[]): string {
  return hosts.join(' and ');
}

/** The narrowest first. Empty if no setting can fix it, or if the rule still needs a port. */
export function mcpCauseFixes(cause: McpCause): McpFix[] {
  switch (cause.code) {
    case 'no-network': {
      const { hosts } = cause;
      return [...(hosts === undefined ? [] : [{ kind: 'hosts', added: hosts, hosts } as const]), { kind: 'network' }];
    }
    case 'unlisted-host':
      return [{ kind: 'hosts', added: [cause.host], hosts: cause.hosts }, { kind: 'network' }];
    case 'refused-host':
      return cause.rule === undefined || cause.port === undefined ? [] : [{ kind: 'rule', rule: cause.rule }];
    case 'sign-in':
      return [{ kind: 'sign-in' }];
  }
}
