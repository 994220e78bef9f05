import { isIPv6 } from 'node:net';
import { isLinkLocal } from '@countersign/protocol';
import { publicNetwork, resolveHost, type Network } from '@countersign/tools';

/** How messages leave this machine. */
export interface OutboundRoute {
  /** Hosts that the administrator's file names, as `host:port`. They may be on a private network. */
  readonly named: readonly string[];
  /** Tests replace it, because nothing may leave the machine. */
  readonly network?: Network;
  /** The certificate authority of a receiver in a test. */
  readonly ca?: string;
  /** How long a receiver may take to answer. Tests shorten it. */
  readonly timeoutMs?: number;
}

export function isNamed(url: URL, named: readonly string[]): boolean {
  return named.includes(hostAndPort(url));
}

export function hostAndPort({ protocol, hostname, port }: URL): string {
  return `${hostname}:${port === '' ? (protocol === 'http:' ? '80' : '443') : port}`;
}

/**
 * The addresses of a URL, resolved once: the request connects only to them. Throws if one is private, unless the administrator's file names the host; a
 * cloud's metadata service is never reached.
 */
export async function addressesOf(
  url: URL,
  { named, network: { resolve, mayConnect } = publicNetwork }: OutboundRoute,
): ReturnType<typeof resolveHost> {
  const isPrivate = isNamed(url, named);
  return await resolveHost(url.hostname, {
    resolve,
    mayConnect: (address, port) => !isLinkLocal(hostOf(address)) && (isPrivate || mayConnect(address, port)),
  });
}

function hostOf(address: string): string {
  const plain = address.replace(/%.*$/, '');
  return isIPv6(plain) ? new URL(`http://[${plain}]`).hostname : plain;
}
