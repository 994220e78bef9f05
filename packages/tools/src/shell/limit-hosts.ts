import { THE_INTERNET, type Outside } from '../sandbox/gateway/gateway.js';

/**
 * The way out with all hosts closed but those that a rule opens. An address is reached as the place of a host that may be reached,
 * or if a rule names the address itself.
 */
export function limitHosts(mayReach: (host: string) => boolean, outside: Outside = THE_INTERNET): Outside {
  const found = new Set<string>();
  return {
    connect: outside.connect,
    network: {
      async resolve(host) {
        if (!mayReach(host)) throw Object.assign(new Error(`no rule opens ${host}`), { code: 'no rule opens it' });
        const addresses = await outside.network.resolve(host);
        for (const { address } of addresses) found.add(address);
        return addresses;
      },
      mayConnect: (address) => outside.network.mayConnect(address) && (found.has(address) || mayReach(address)),
    },
  };
}
