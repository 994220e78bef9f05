import { isIP, isIPv6 } from 'node:net';
import type { McpRemote } from '@countersign/core/ports';
import { isLinkLocal } from '@countersign/protocol';
import { publicNetwork, resolveName, type Address, type Network } from '../../web/network.js';

/**
 * The addresses of a host, to connect to without resolving its name again: DNS could return another one (rebinding). Rejects link-local addresses,
 * where cloud machines have their metadata service, and with `publicOnly` all private ones.
 */
export async function checkedAddresses(
  { hostname }: URL,
  { publicOnly }: Pick<McpRemote, 'publicOnly'> = {},
  resolve: Network['resolve'] = publicNetwork.resolve,
): Promise<readonly Address[]> {
  const literal = hostname.replace(/^\[|\]$/g, '');
  const family = isIP(literal);
  const found = family === 0 ? await resolveName(hostname, { resolve }) : [{ address: literal, family }];
  if (isLinkLocal(hostname) || found.some(({ address }) => isLinkLocal(normalized(address))))
    throw new Error(`${hostname} is a link-local address, where cloud machines have their metadata service`);
  if (publicOnly === true && !found.every(({ address }) => publicNetwork.mayConnect(address)))
    throw new Error(privateText(hostname));
  return found;
}

export function privateText(host: string): string {
  return `${host} is at a private address. Only admins of the whole server can let this world reach it`;
}

function normalized(address: string): string {
  const plain = address.replace(/%.*$/, '');
  return isIPv6(plain) ? new URL(`http://[${plain}]`).hostname : plain;
}
