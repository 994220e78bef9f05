import { once } from 'node:events';
import type { Server } from 'node:net';
import { CountersignError } from '@countersign/protocol';

/** Listens and returns the port. Throws an error with advice if the port or address is not available. */
export async function listenOn(server: Server, port: number, host?: string): Promise<number> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw new CountersignError('conflict', errorText(cause, port, host), { cause });
  }
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

function errorText(error: unknown, port: number, host = 'this machine'): string {
  const code = error instanceof Error ? (Reflect.get(error, 'code') as unknown) : undefined;
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} is in use by another program. Choose another with --port, or --port 0 for any free one.`;
    case 'EACCES':
      return `You don't have permission to use port ${port}. Choose one above 1023 with --port.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `This machine has no address "${host}" to listen on. Choose another with --host.`;
    default:
      return `Port ${port} on ${host} can't be used: ${error instanceof Error ? error.message : String(error)}.`;
  }
}
