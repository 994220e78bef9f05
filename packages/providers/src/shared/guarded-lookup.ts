import { lookup, type LookupAddress } from 'node:dns';
import { isIPv6, type LookupFunction } from 'node:net';
import { isLinkLocal } from '@countersign/protocol';

type Lookup = (
  host: string,
  options: { all: true },
  give: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

/** The error code for a name that leads to a cloud's metadata service. */
export const METADATA_CODE = 'EMETADATA';

/**
 * Resolves a name for a connection, and rejects link-local addresses: a DNS name that points to a cloud's metadata service would send it our
 * request. The connection uses the addresses that were checked, so DNS can't change them in between.
 */
export function guardedLookup(resolve: Lookup = lookup): LookupFunction {
  return (host, options, give) => {
    resolve(host, { ...options, all: true }, (error, found) => {
      const [first] = found ?? [];
      if (error !== null) give(error, '');
      else if (found.some(({ address }) => isMetadataHost(address))) give(refusal(), '');
      else if (options.all === true) give(null, found);
      else give(null, first?.address ?? '', first?.family ?? 0);
    });
  };
}

/** For a name or an address, which is not resolved. */
export function isMetadataHost(host: string): boolean {
  const plain = host.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  return isLinkLocal(isIPv6(plain) ? new URL(`http://[${plain}]`).hostname : plain);
}

export function refusal(): Error {
  const words = "the host is a link-local address, where cloud machines have their metadata service. It can't be used";
  return Object.assign(new Error(words), { code: METADATA_CODE });
}
