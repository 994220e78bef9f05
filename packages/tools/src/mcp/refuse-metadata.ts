import { isIP, isIPv6 } from 'node:net';
import type { McpRemote } from '@countersign/core/ports';
import { isLinkLocal } from '@countersign/protocol';
import { publicNetwork, type Network } from '../web/network.js';

/**
 * Rejects a host at a link-local address, where cloud machines have their metadata service, or a name that points to one. With `publicOnly`,
 * rejects all private addresses. A name is resolved again for the connection, so DNS that changes in between is not detected.
 */
export async function refuseMetadata(
  { hostname }: URL,
  { publicOnly }: Pick<McpRemote, 'publicOnly'> = {},
  resolve: Network['resolve'] = publicNetwork.resolve,
): Promise<void> {
  const literal = hostname.replace(/^\[|\]$/g, '');
  // If the name can't be resolved, the connection says so.
  const found = isIP(literal) === 0 ? await resolve(hostname).catch(() => []) : [{ address: literal }];
  if (isLinkLocal(hostname) || found.some(({ address }) => isLinkLocal(normalized(address))))
    throw new Error(`${hostname} is a link-local address, where cloud machines have their metadata service`);
  if (publicOnly === true && !found.every(({ address }) => publicNetwork.mayConnect(address)))
    throw new Error(privateText(hostname));
}

export function privateText(host: string): string {
  return `${host} is at a private address. Only admins of the whole server can let this world reach it`;
}

function normalized(address: string): string {
  const plain = address.replace(/%.*$/, '');
  return isIPv6(plain) ? new URL(`http://[${plain}]`).hostname : plain;
}
