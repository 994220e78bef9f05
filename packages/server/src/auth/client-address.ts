import { BlockList, isIP } from 'node:net';
import { CountersignError } from '@countersign/protocol';

/** Returns the address that a request came from. */
export type ClientAddress = (remote: string | undefined, forwardedFor: string | undefined) => string;

/**
 * Reads `COUNTERSIGN_TRUSTED_PROXY`: addresses or networks, separated by commas. X-Forwarded-For is trusted only
 * from these: anyone else could send a different value with each attempt.
 */
export function readTrustedProxies(value: string | undefined): ClientAddress {
  const trusted = new BlockList();
  for (const part of (value ?? '').split(',').map((each) => each.trim())) {
    if (part !== '') addTo(trusted, part);
  }
  const isTrusted = (address: string): boolean => {
    const plain = unmapped(address);
    const family = isIP(plain);
    return family !== 0 && trusted.check(plain, family === 6 ? 'ipv6' : 'ipv4');
  };
  return (remote, forwardedFor) => {
    if (remote === undefined) return 'unknown';
    let address = remote;
    // Each proxy appends the address it got the request from, so the list is read from its end.
    for (const before of (forwardedFor ?? '').split(',').reverse()) {
      const given = before.trim();
      if (!isTrusted(address) || isIP(given) === 0) break;
      address = given;
    }
    // A socket for both families gives IPv4 addresses another form.
    return unmapped(address);
  };
}

function addTo(trusted: BlockList, part: string): void {
  const [address = '', bits, ...more] = part.split('/');
  const family = isIP(address);
  const type = family === 6 ? 'ipv6' : 'ipv4';
  const length = Number(bits);
  const isNetwork = bits !== undefined;
  const isValid = family !== 0 && more.length === 0 && (!isNetwork || /^\d{1,3}$/.test(bits));
  if (!isValid || (isNetwork && length > (family === 6 ? 128 : 32))) {
    const detail = `COUNTERSIGN_TRUSTED_PROXY: "${part}" is not an IP address or network. Expected something like 10.0.0.5 or 10.0.0.0/8.`;
    throw new CountersignError('invalid', detail, { field: 'COUNTERSIGN_TRUSTED_PROXY' });
  }
  if (isNetwork) trusted.addSubnet(address, length, type);
  else trusted.addAddress(address, type);
}

function unmapped(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}
