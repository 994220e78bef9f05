import { networkInterfaces } from 'node:os';
import { expect, it } from 'vitest';
import { isOwnAddress } from './is-own-address.js';
import { publicNetwork } from './network.js';

const address = (text: string, family: 'IPv4' | 'IPv6') =>
  family === 'IPv4'
    ? { address: text, family, netmask: '', mac: '', internal: false, cidr: null }
    : { address: text, family, netmask: '', mac: '', internal: false, cidr: null, scopeid: 0 };

const INTERFACES = {
  eth0: [address('93.184.216.34', 'IPv4'), address('2606:4700:0:0::1', 'IPv6'), address('fe80::1%eth0', 'IPv6')],
};

it.each(['93.184.216.34', '2606:4700::1', '2606:4700:0000:0:0:0:0:1', '2606:4700::0001'])(
  '[SAFE5.1] %s is an address of this machine, in any notation',
  (own) => expect(isOwnAddress(own, INTERFACES)).toBe(true),
);

it.each(['93.184.216.35', '2606:4700::2', '::ffff:1.1.1.1'])('[SAFE5.1] %s is not', (other) => {
  expect(isOwnAddress(other, INTERFACES)).toBe(false);
});

it('[SAFE5.1] no tool connects to an address of this machine', () => {
  const all = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  expect(all.length).toBeGreaterThan(0);
  for (const { address: own } of all) expect(publicNetwork.mayConnect(own)).toBe(false);
});
