import { THE_INTERNET, type Outside } from './gateway.js';

const LOOPBACK = '127.0.0.1';

/**
 * The way out, and to private addresses that rules spell with their port, such as `10.0.0.5:4873`. Only the address and the port decide,
 * never a name: DNS could point a name at any address. `localhost` is ours to answer.
 */
export function withPrivateHosts(hosts: readonly string[], outside: Outside = THE_INTERNET): Outside {
  if (hosts.length === 0) return outside;
  const isSpelled = (address: string, port: number): boolean =>
    hosts.includes(`${address}:${port}`) || (address === LOOPBACK && hosts.includes(`localhost:${port}`));
  return {
    connect: outside.connect,
    network: {
      resolve: async (host) =>
        host === 'localhost' ? [{ address: LOOPBACK, family: 4 }] : await outside.network.resolve(host),
      mayConnect: (address, port) =>
        outside.network.mayConnect(address, port) || (port !== undefined && isSpelled(address, port)),
    },
  };
}

/** Whether programs must ask the proxy for this machine too, and not look for it in their own network. */
export function opensLoopback(hosts: readonly string[]): boolean {
  return hosts.some((host) => host.startsWith('localhost:') || host.startsWith(`${LOOPBACK}:`));
}
