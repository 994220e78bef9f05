import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { ToolFailure } from '@countersign/core/ports';
import { isOwnAddress } from './is-own-address.js';
import { isPublicAddress } from './is-public-address.js';

export interface Address {
  address: string;
  family: number;
}

/** Access to the network. Tests replace it, because nothing may leave the machine. */
export interface Network {
  resolve: (host: string) => Promise<readonly Address[]>;
  /** The port is undefined while only the name is resolved. */
  mayConnect: (address: string, port?: number) => boolean;
}

export const publicNetwork: Network = {
  resolve: async (host) => await lookup(host, { all: true, verbatim: true }),
  mayConnect: (address) => isPublicAddress(address) && !isOwnAddress(address),
};

/** For a request that connects only to addresses that were checked: resolving the name again could return others (DNS rebinding). */
export function onlyTo(addresses: readonly Address[]): LookupFunction {
  return (_host, wanted, give) => {
    const [first] = addresses;
    if (wanted.all === true) give(null, [...addresses]);
    else give(null, first?.address ?? '', first?.family ?? 0);
  };
}

/** A host with an address that must not be reached. */
export interface RefusedHost {
  readonly host: string;
  readonly address: string;
  /** Undefined if only the name was resolved. */
  readonly port?: number;
}

export class RefusedHostError extends ToolFailure {
  readonly refused: RefusedHost;

  constructor(refused: RefusedHost) {
    super(`${refused.host} is at ${refused.address}, which is not a public address and can't be fetched`);
    this.refused = refused;
  }
}

/**
 * Resolves a host whose addresses are all public. A single private address rejects the host: mixing both is how a page reaches an internal
 * network.
 */
export async function resolveHost(host: string, network: Network, port?: number): Promise<readonly Address[]> {
  const literal = host.replace(/^\[|\]$/g, '');
  const family = isIP(literal);
  const found = family === 0 ? await resolveName(host, network) : [{ address: literal, family }];
  const refused = found.find(({ address }) => !network.mayConnect(address, port));
  if (refused !== undefined) {
    const { address } = refused;
    throw new RefusedHostError({ host: literal, address, ...(port === undefined ? {} : { port }) });
  }
  return found;
}

/** The addresses of a name. Rejects with a sentence if it has none. */
export async function resolveName(host: string, network: Pick<Network, 'resolve'>): Promise<readonly Address[]> {
  let found: readonly Address[] = [];
  try {
    found = await network.resolve(host);
  } catch (cause) {
    if (cause instanceof ToolFailure) throw cause;
    const code: unknown = cause instanceof Error ? Reflect.get(cause, 'code') : undefined;
    throw new ToolFailure(`could not resolve ${host} (${typeof code === 'string' ? code : 'no answer'})`);
  }
  if (found.length === 0) throw new ToolFailure(`${host} has no address`);
  return found;
}
