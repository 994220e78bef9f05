import { THE_INTERNET, type Outside } from './gateway.js';

const LOOPBACK = '127.0.0.1';

/**
 * Allows public addresses, plus private ones that rules name with a port, such as `10.0.0.5:4873`. Only the address and port matter, never a
 * name, because DNS could point a name anywhere. We resolve `localhost` ourselves.
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

/** Whether programs must also use the proxy for this machine, instead of the sandbox's own loopback. */
export function opensLoopback(hosts: readonly string[]): boolean {
  return hosts.some((host) => host.startsWith('localhost:') || host.startsWith(`${LOOPBACK}:`));
}
