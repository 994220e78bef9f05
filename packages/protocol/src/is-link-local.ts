/**
 * Whether the host of a URL is a link-local address or the name of a metadata service. On cloud machines these hand out credentials to every program that
 * asks, and no model server has such an address.
 */
export function isLinkLocal(host: string): boolean {
  const name = host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
  if (name === 'metadata.google.internal' || name === 'metadata') return true;
  if (name.startsWith('[')) {
    const [, address = ''] = /^\[([^\]%]*)/.exec(name) ?? [];
    return /^fe[89ab]/.test(address) || address === 'fd00:ec2::254' || /^::ffff:(?:169\.254\.|a9fe:)/.test(address);
  }
  const address = ipv4Of(name);
  return address !== undefined && (address >>> 16 === 0xa9fe || address === AZURE);
}

/** 168.63.129.16, which looks like a public address. */
const AZURE = 0xa83f8110;

/** Browsers and Node also accept `2852039166`, `0xa9fea9fe` and `169.254.43518`. */
function ipv4Of(host: string): number | undefined {
  const parts = host.split('.').map(readPart);
  const last = parts.pop();
  if (last === undefined || parts.length > 3) return undefined;
  let address = last;
  for (const [index, part] of parts.entries()) {
    if (part === undefined || part > 255) return undefined;
    address += part * 256 ** (3 - index);
  }
  return address < 2 ** 32 ? address : undefined;
}

function readPart(text: string): number | undefined {
  if (/^0x[\da-f]+$/.test(text)) return Number.parseInt(text, 16);
  if (/^0[0-7]+$/.test(text)) return Number.parseInt(text, 8);
  return /^\d+$/.test(text) ? Number(text) : undefined;
}
