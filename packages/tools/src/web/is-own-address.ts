import { BlockList, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

type Interfaces = ReturnType<typeof networkInterfaces>;

/**
 * Whether an address is one of this machine's interfaces. A machine with a public address would otherwise reach its own services by it,
 * past every rule about loopback. Read each time: interfaces come and go.
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
