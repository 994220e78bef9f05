import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect, it, onTestFinished } from 'vitest';
import { send } from '../testing/send.js';
import { guardLocalhost } from './guard-localhost.js';

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));

async function listen(server: Server, host: string): Promise<number> {
  server.listen(0, host);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

it('[WHO1.10] localhost is this server under each of its addresses', async () => {
  const server = createServer((_, response) => response.end('ours'));
  const port = await listen(server, '127.0.0.1');
  const guarded = await guardLocalhost(server, port, '127.0.0.1');
  onTestFinished(() => guarded?.close());
  expect(guarded).toBeDefined();
  const hosts = hasIpv6 ? ['127.0.0.1', '[::1]'] : ['127.0.0.1'];
  for (const host of hosts) expect((await send(`http://${host}:${port}/`)).text).toBe('ours');
});

it.runIf(hasIpv6)('[WHO1.10] if another program has the IPv6 address, localhost isn’t used', async () => {
  const other = createServer((_, response) => response.end('theirs'));
  const port = await listen(other, '::1');
  expect(await guardLocalhost(createServer(), port, '127.0.0.1')).toBeUndefined();
});

it('[WHO1.10] other hosts are left alone', async () => {
  expect(await guardLocalhost(createServer(), 1, '0.0.0.0')).toBeUndefined();
});
