import type { Server, Socket } from 'node:net';

/** Limits for connections without an authenticated request (HTTP16). */
export interface UnauthenticatedLimits {
  /** Timeout for receiving the request headers. */
  headersMs: number;
  /** Maximum number of open connections. */
  most: number;
}

export const UNAUTHENTICATED_LIMITS: UnauthenticatedLimits = { headersMs: 10_000, most: 512 };

/**
 * Limits unauthenticated connections, so that idle ones don't exhaust file descriptors. Beyond the limit, the oldest is closed. Call the
 * returned function when a connection has authenticated.
 */
export function limitUnauthenticated(server: Server, most: number): (socket: Socket) => void {
  // A Set iterates in insertion order.
  const unauthenticated = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    unauthenticated.add(socket);
    socket.once('close', () => unauthenticated.delete(socket));
    if (unauthenticated.size <= most) return;
    const [oldest] = unauthenticated;
    if (oldest === undefined) return;
    unauthenticated.delete(oldest);
    oldest.destroy();
  });
  return (socket) => void unauthenticated.delete(socket);
}
