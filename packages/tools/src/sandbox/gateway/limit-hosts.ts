import { ToolFailure } from '@countersign/core/ports';
import { THE_INTERNET, type Outside } from './gateway.js';

/**
 * A network in which only some hosts are reachable. An address is reachable if it belongs to such a host, or if it is one itself. `refusal`:
 * what a program that tries another host is told.
 */
export function limitHosts(
  mayReach: (host: string) => boolean,
  outside: Outside = THE_INTERNET,
  refusal: (host: string) => string = (host) => `no rule allows connections to ${host}`,
): Outside {
  const found = new Set<string>();
  return {
    connect: outside.connect,
    network: {
      async resolve(host) {
        if (!mayReach(host)) throw new ToolFailure(refusal(host));
        const addresses = await outside.network.resolve(host);
        for (const { address } of addresses) found.add(address);
        return addresses;
      },
      mayConnect: (address) => outside.network.mayConnect(address) && (found.has(address) || mayReach(address)),
    },
  };
}
