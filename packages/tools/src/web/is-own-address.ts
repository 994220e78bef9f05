import { BlockList, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

type Interfaces = ReturnType<typeof networkInterfaces>;

/**
 * Whether an address belongs to an interface on this machine. Rules about loopback could be bypassed through the machine's public address. Not
 * cached, because interfaces change.
 */
export function isOwnAddress(address: string, interfaces: Interfaces = networkInterfaces()): boolean {
  const own = new BlockList();
  for (const { address: each } of Object.values(interfaces).flatMap((found) => found ?? []))
    own.addAddress(each.replace(/%.*$/, ''), familyOf(each));
  return own.check(address, familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}
