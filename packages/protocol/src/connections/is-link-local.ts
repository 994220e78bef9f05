/**
 * Whether the host of a normalized URL is a link-local address or the name of a metadata service. On cloud machines, these give credentials to
 * anyone who asks, and no model server has such an address.
 */
export function isLinkLocal(host: string): boolean {
  const name = host.replace(/:\d*$/, '').replace(/\.$/, '');
  if (name === 'metadata.google.internal' || name === 'metadata' || name === AZURE) return true;
  if (!name.startsWith('[')) return /^169\.254(?:\.\d+){2}$/.test(name);
  // The last one: NAT64, and IPv4 addresses in IPv6.
  return (
    /^\[fe[89ab]/.test(name) || name === '[fd00:ec2::254]' || /^\[(?:::(?:ffff:(?:0:)?)?|64:ff9b::)a9fe:/.test(name)
  );
}

/** Looks like a public address. */
const AZURE = '168.63.129.16';
