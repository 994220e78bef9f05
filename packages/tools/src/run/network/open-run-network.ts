import { gatewayEnvironment, openGateway, THE_INTERNET } from '../../sandbox/gateway/gateway.js';
import { opensLoopback, withPrivateHosts } from '../../sandbox/gateway/with-private-hosts.js';
import { countTries } from './count-tries.js';
import { openHeldNetwork } from './hold-network.js';
import { matchHosts, portsIn, privateHostsIn } from './host-list.js';
import { openPorts } from './open-ports.js';
import type { RunNetwork, RunNetworkOptions } from './types.js';

/** Opens the network of one run (RUN8). Must be closed when all its processes have ended. */
export async function openRunNetwork({
  id,
  sandbox,
  hosts,
  loginHosts = [],
  ports = [],
  outside = THE_INTERNET,
}: RunNetworkOptions): Promise<RunNetwork> {
  const tries = countTries();
  const privateHosts = privateHostsIn(hosts);
  const isNamed = matchHosts(hosts);
  const isLogin = matchHosts(loginHosts);
  const gateway = openGateway(withPrivateHosts(privateHosts, outside), {
    mayReach: (host, port) => isNamed(host, port) || isLogin(host, port),
    onTried: (tried) => tries.note(tried),
    requires: (host) => (isLogin(host) ? 'tls' : 'named'),
  });
  const held = await openHeldNetwork(sandbox, {
    gateway,
    serveModel: (listener) => listener.close(),
    ports: portsIn(hosts),
  }).catch((error: unknown) => {
    gateway.close();
    throw error;
  });
  const opened = await openPorts(id, ports, (port) => held.join(port)).catch(async (error: unknown) => {
    gateway.close();
    await held.close();
    throw error;
  });
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    opened.close();
    gateway.close();
    await held.close();
  };
  return {
    before: held.before,
    environment: gatewayEnvironment(opensLoopback(privateHosts)),
    ports: opened.ports,
    tried: () => tries.list(),
    close: () => (closing ??= close()),
  };
}
