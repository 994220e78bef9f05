import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { isPublicAddress } from '../../web/is-public-address.js';
import { resolveHost } from '../../web/network.js';
import { gatewayEnvironment } from './gateway.js';
import { opensLoopback, withPrivateHosts } from './with-private-hosts.js';

const names: Record<string, string> = {
  'mirror.corp': '10.0.0.5',
  'rebound.example': '10.0.0.6',
  'mapped.example': '::ffff:10.0.0.5',
  localhost: '10.0.0.7',
};

describe('[SAFE5.1] private hosts that rules name', () => {
  const { network } = withPrivateHosts(['10.0.0.5:4873', 'localhost:4874'], {
    network: {
      resolve: (host) => Promise.resolve([{ address: names[host] ?? '93.184.216.34', family: 4 }]),
      mayConnect: (address) => isPublicAddress(address),
    },
    connect: (host, port) => connect({ host, port }),
  });
  const reach = async (host: string, port?: number): Promise<string | undefined> =>
    await resolveHost(host, network, port).then(
      ([found]) => found?.address,
      () => undefined,
    );

  it('are reachable at their address and port, under any name', async () => {
    expect(await reach('10.0.0.5', 4873)).toBe('10.0.0.5');
    expect(await reach('mirror.corp', 4873)).toBe('10.0.0.5');
    expect(await reach('localhost', 4874)).toBe('127.0.0.1');
    expect(await reach('127.0.0.1', 4874)).toBe('127.0.0.1');
    expect(await reach('example.com', 443)).toBe('93.184.216.34');
  });

  it('are not reachable at any other port, address or spelling, whatever DNS returns', async () => {
    const tries: [string, number?][] = [
      ['10.0.0.5', 80],
      ['10.0.0.5'],
      ['10.0.0.6', 4873],
      ['rebound.example', 4873],
      ['mapped.example', 4873],
      ['[::ffff:10.0.0.5]', 4873],
      ['[::1]', 4874],
      ['127.0.0.2', 4874],
      ['localhost', 4873],
      ['169.254.169.254', 80],
    ];
    for (const [host, port] of tries) expect([host, await reach(host, port)]).toEqual([host, undefined]);
  });

  it('on this machine are reached through the proxy, not on the sandbox’s own loopback', () => {
    expect(gatewayEnvironment(opensLoopback(['localhost:4873']))['NO_PROXY']).toBe('');
    expect(gatewayEnvironment(opensLoopback(['10.0.0.5:4873']))['NO_PROXY']).toContain('localhost');
  });
});
