import { ToolFailure } from '@countersign/core/ports';
import { THE_INTERNET, type Outside } from '../sandbox/gateway/gateway.js';

/**
 * A network in which only hosts opened by a rule are reachable. An address is reachable if it belongs to such a host, or if a rule names it.
 */
export function limitHosts(mayReach: (host: string) => boolean, outside: Outside = THE_INTERNET): Outside {
  const found = new Set<string>();
  return {
    connect: outside.connect,
    network: {
      async resolve(host) {
        if (!mayReach(host)) throw new ToolFailure(`no rule allows connections to ${host}`);
        const addresses = await outside.network.resolve(host);
        for (const { address } of addresses) found.add(address);
        return addresses;
      },
      mayConnect: (address) => outside.network.mayConnect(address) && (found.has(address) || mayReach(address)),
    },
  };
}
