import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer } from 'node:net';

/** A second listener, so that `localhost` means this server under both of its addresses. */
export interface GuardedLocalhost {
  close(): void;
}

const IPV4 = '127.0.0.1';
const IPV6 = '::1';

/**
 * Passkeys need a host name, so people use `localhost`, which browsers look up as ::1 first. Another user of this machine could listen there on
 * the same port and get our start links. So the server listens there too. Undefined if another program already does, or for other hosts: the
 * caller then uses the address.
 */
export async function guardLocalhost(
  server: Server,
  port: number,
  host: string,
): Promise<GuardedLocalhost | undefined> {
  if (host !== IPV4) return undefined;
  const other = createServer((socket) => void server.emit('connection', socket));
  other.listen({ port, host: IPV6, exclusive: true });
  try {
    await once(other, 'listening');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // This machine has no IPv6, so nobody can listen there.
    return code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT' ? { close: () => undefined } : undefined;
  }
  return { close: () => void other.close() };
}
