import { isIPv4 } from 'node:net';
import { packageHosts, packageRunner, type McpCause, type McpServerDefinition } from '@countersign/protocol';
import type { Sandbox } from '../sandbox/sandbox.js';
import type { RefusedHost } from '../web/network.js';

/** Thrown if a server neither responded nor ended. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

interface Start {
  readonly definition: McpServerDefinition;
  readonly sandbox: Sandbox;
  /** Addresses that the sandbox blocked during this attempt. */
  readonly refused: readonly RefusedHost[];
  /** Hosts that it tried to reach and that are not in its list. */
  readonly unlisted: readonly string[];
  /** The person's npm registry, if it isn't the default. */
  readonly registry?: string | undefined;
  /** Whether the server neither responded nor ended, like programs that wait for a network. */
  readonly isSilent: boolean;
}

/** The sandbox restriction that probably prevents a server from starting, if any. */
export function startCause(start: Start): McpCause | undefined {
  const { definition, sandbox, refused, unlisted, isSilent } = start;
  if (definition.transport !== 'stdio' || sandbox.kind === 'none') return undefined;
  const { network } = definition;
  if (network === false) {
    const runner = packageRunner(definition.command, definition.args);
    if (runner !== undefined) {
      const hosts = packageHosts(runner, registryOf(definition) ?? start.registry);
      return { code: 'no-network', runner, ...(sandbox.kind === 'bubblewrap' ? { hosts } : {}) };
    }
    return isSilent ? { code: 'no-network' } : undefined;
  }
  const [host] = unlisted;
  if (network !== true && host !== undefined) return { code: 'unlisted-host', host, hosts: [...network.hosts, host] };
  // The lookup of a name is followed by a connection, which also has the port.
  const [first] = refused.toSorted((a, b) => Number(a.port === undefined) - Number(b.port === undefined));
  if (first === undefined) return undefined;
  const rule = isIPv4(first.address)
    ? { rule: `allow sandbox_network(${first.address}:${first.port ?? 'PORT'})` }
    : undefined;
  return { code: 'refused-host', ...first, ...rule };
}

/** The registry that the server's own arguments or variables name. */
function registryOf({ args, env }: Extract<McpServerDefinition, { transport: 'stdio' }>): string | undefined {
  const at = args.indexOf('--registry');
  const argument = args.find((word) => word.startsWith('--registry='))?.slice('--registry='.length);
  return argument ?? (at < 0 ? undefined : args[at + 1]) ?? env['npm_config_registry'] ?? env['NPM_CONFIG_REGISTRY'];
}
