import type { McpServerWithTools, OpenedToSandbox } from '@countersign/core/ports';
import type { CallSandbox } from '@countersign/protocol';
import { describeSandbox, sandboxFacts, type Sandbox } from '../../sandbox/sandbox.js';
import { canLimitHosts, networkOf } from '../transport/start-server-process.js';

export type OpenedByRules = Pick<OpenedToSandbox, 'folders' | 'privateHosts'>;

/** Shown on the card. What a remote server can reach is unknown. */
export function sandboxOf(
  { server: { definition } }: McpServerWithTools,
  sandbox: Sandbox,
  { folders, privateHosts }: OpenedByRules,
): CallSandbox {
  if (definition.transport === 'http') {
    const detail = new URL(definition.url).origin;
    return { kind: 'remote', network: 'unknown', hosts: [], readable: [], detail };
  }
  // The server's own `network` setting opens public hosts; rules don't.
  const readable = [...folders, ...(definition.folders ?? [])];
  const { network } = definition;
  if (typeof network === 'object') {
    const opened = { folders: readable, privateHosts, hosts: [...network.hosts, ...privateHosts], anyHost: false };
    return sandboxFacts(sandbox, { network: 'none', opened });
  }
  const opened = { folders: readable, privateHosts, hosts: [], anyHost: false };
  return sandboxFacts(sandbox, { network: networkOf(sandbox, network), opened });
}

/** Shown in the status, which also says if there is no sandbox (SAFE1). */
export function sandboxText({ server: { definition } }: McpServerWithTools, sandbox: Sandbox): string {
  if (definition.transport === 'http') return `none: it runs remotely, at ${new URL(definition.url).origin}`;
  if (sandbox.kind === 'none') return `none: ${sandbox.reason}`;
  const { network } = definition;
  if (typeof network === 'object')
    return canLimitHosts(sandbox)
      ? `${sandbox.kind}, network limited to ${network.hosts.join(', ')}`
      : `${sandbox.kind}, which can't limit a server to hosts`;
  return describeSandbox(sandbox, { network: networkOf(sandbox, network) });
}
