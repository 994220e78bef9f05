import { expect, it } from 'vitest';
import { checkedAddresses } from './refuse-metadata.js';

it('[MCP3.5] refuses link-local addresses, and names that point to one', async () => {
  const names: Record<string, string[]> = {
    'wiki.example': ['10.0.0.5'],
    'cloud.example': ['93.184.216.34', '169.254.169.254'],
    'six.example': ['fe80::1%eth0'],
    localhost: ['127.0.0.1'],
  };
  const resolve = (host: string) => {
    const found = names[host];
    if (found === undefined) return Promise.reject(new Error('unknown'));
    return Promise.resolve(found.map((address) => ({ address, family: 4 })));
  };
  const refused = (url: string, publicOnly?: true) =>
    checkedAddresses(new URL(url), publicOnly === undefined ? {} : { publicOnly }, resolve).then(
      () => false,
      () => true,
    );
  const urls = ['http://wiki.example/mcp', 'http://localhost:1', 'http://[::1]:1', 'http://10.0.0.5'];
  for (const url of urls) expect([url, await refused(url)]).toEqual([url, false]);
  const metadata = [
    'cloud.example',
    'six.example',
    '169.254.169.254',
    '[::ffff:169.254.169.254]',
    'metadata.google.internal',
  ];
  for (const host of metadata) expect([host, await refused(`http://${host}/mcp`)]).toEqual([host, true]);
  // A server whose URL the admin of one world chose (SAFE2).
  expect(await refused('http://unknown.example')).toBe(true);
  for (const url of urls) expect([url, await refused(url, true)]).toEqual([url, true]);
  expect(await refused('http://93.184.216.34', true)).toBe(false);
});
