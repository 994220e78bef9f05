import { isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';

export interface HostOptions {
  /** Available once the server is listening. */
  port: () => number;
  /** The address that the server binds to (`--host`). */
  host: string;
  /** Additional host names to accept (`--allow-host`), with or without a port. */
  allowHosts: readonly string[];
}

/** `ours`: plain HTTP on our port. `allowed`: configured with `--allow-host`, so a proxy may add HTTPS. */
export type HostVerdict = 'ours' | 'allowed' | undefined;

/** Checks the Host header. Accepting unknown names would allow DNS rebinding: an attacker's page would be treated as same-origin. */
export function createHostCheck({
  port,
  host,
  allowHosts,
}: HostOptions): (header: string, defaultPort: 80 | 443) => HostVerdict {
  const named = new Set(allowHosts.map((name) => name.toLowerCase()));
  const bound = host.toLowerCase();

  return (header, defaultPort) => {
    const found = /^(\[[0-9a-f:.]+\]|[^:[\]/@\\\s]+)(?::(\d{1,5}))?$/.exec(header.toLowerCase());
    const name = found?.[1];
    if (name === undefined) return undefined;
    const at = found?.[2] === undefined ? defaultPort : Number(found[2]);
    if (at === port() && (isLoopback(name) || inBrackets(bound) === name || isOwnAddress(bound, name))) return 'ours';
    return named.has(name) || named.has(`${name}:${at}`) ? 'allowed' : undefined;
  };
}

export function isLoopback(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || name === '::1' || (isIPv4(name) && name.startsWith('127.'));
}

export function inBrackets(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}

/** If the server is bound to all addresses, it accepts each of them as a host name. */
function isOwnAddress(bound: string, name: string): boolean {
  if (bound !== '0.0.0.0' && bound !== '::') return false;
  return Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some(({ address }) => inBrackets(address) === name),
  );
}
