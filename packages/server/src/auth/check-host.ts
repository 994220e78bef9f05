import { isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';

export interface HostOptions {
  /** Known once the server listens. */
  port: () => number;
  /** What it listens on (`--host`). */
  host: string;
  /** Further names it answers to (`--allow-host`), with or without a port. */
  allowHosts: readonly string[];
}

/** `ours`: it is plain http on our port. `allowed`: a person named it, so something in front of us may speak https. */
export type HostVerdict = 'ours' | 'allowed' | undefined;

/**
 * Tells whether the name in a Host header is one of ours. Any other name may be an attacker's that was made to point here, so that
 * a page of theirs counts as ours in a browser (DNS rebinding).
 */
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

/** Bound to every address, we are reached by each of them. */
function isOwnAddress(bound: string, name: string): boolean {
  if (bound !== '0.0.0.0' && bound !== '::') return false;
  return Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some(({ address }) => inBrackets(address) === name),
  );
}
