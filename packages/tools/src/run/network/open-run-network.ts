import type { Server } from 'node:net';
import { MODEL_ADDRESS } from '../../sandbox/gateway/listen-scripts.js';
import { gatewayEnvironment, openGateway, THE_INTERNET } from '../../sandbox/gateway/gateway.js';
import { opensLoopback, withPrivateHosts } from '../../sandbox/gateway/with-private-hosts.js';
import { openModelGateway } from '../model/serve-models.js';
import { countTries } from './count-tries.js';
import { startNetwork } from './hold-network.js';
import { matchHosts, portsIn, privateHostsIn } from './host-list.js';
import { openPorts } from './open-ports.js';
import type { RunNetwork, RunNetworkOptions } from './types.js';

const MAX_REASONS = 15;
const LONGEST_REASON = 100;

/** Opens the network of one run (RUN8). Must be closed when all its processes have ended. */
export async function openRunNetwork({
  id,
  sandbox,
  network = startNetwork(sandbox.program),
  hosts,
  closedHosts = [],
  loginHosts = [],
  models = [],
  ports = [],
  outside = THE_INTERNET,
}: RunNetworkOptions): Promise<RunNetwork> {
  const tries = countTries();
  const privateHosts = privateHostsIn(hosts);
  const isNamed = matchHosts(hosts);
  const isLogin = matchHosts(loginHosts);
  const isClosed = matchHosts(closedHosts);
  const gateway = openGateway(withPrivateHosts(privateHosts, outside), {
    mayReach: (host, port) => (isNamed(host, port) || isLogin(host, port)) && !isClosed(host, port),
    onTried: (tried) => tries.note(tried),
    requires: (host) => (isLogin(host) ? 'tls' : 'named'),
  });
  const refused = new Map<string, number>();
  const modelGateway = openModelGateway({
    routes: models,
    onForwarded: ({ host, port }) => tries.note({ host, port, allowed: true }),
    onRefused(reason) {
      // The program chooses some of it.
      const short = reason.slice(0, LONGEST_REASON);
      if (refused.size < MAX_REASONS || refused.has(short)) refused.set(short, (refused.get(short) ?? 0) + 1);
    },
  });
  const refuse = async (error: unknown): Promise<never> => {
    gateway.close();
    await network.close();
    throw error;
  };
  const serveModel = (listener: Server): void => modelGateway.serve(listener);
  const held = await network.open({ gateway, serveModel, ports: portsIn(hosts) }).catch(refuse);
  const opened = await openPorts(id, ports, (port) => held.join(port)).catch(refuse);
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    opened.close();
    modelGateway.close();
    gateway.close();
    await held.close();
  };
  return {
    before: held.before,
    environment: withModelDirect(gatewayEnvironment(opensLoopback(privateHosts))),
    ports: opened.ports,
    tried: () => tries.list(),
    notes: () => notesOn(refused),
    close: () => (closing ??= close()),
  };
}

/** No proxy leads to the model gateway. */
function withModelDirect(environment: Readonly<Record<string, string>>): Record<string, string> {
  const [address = ''] = MODEL_ADDRESS.split(':');
  const direct = [environment['NO_PROXY'] ?? '', address].filter((part) => part !== '').join();
  return { ...environment, NO_PROXY: direct, no_proxy: direct };
}

function notesOn(refused: ReadonlyMap<string, number>): string[] {
  if (refused.size === 0) return [];
  const reasons = [...refused].map(([reason, count]) => (count === 1 ? reason : `${reason} (${count} times)`));
  return [`The model gateway refused: ${reasons.join('; ')}.`];
}
