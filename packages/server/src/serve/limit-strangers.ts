import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Limits for connections without an authenticated request (W7). */
export interface StrangerLimits {
  /** Timeout for the request head. */
  headersMs: number;
  /** Maximum number of open connections. */
  most: number;
}

export const STRANGER_LIMITS: StrangerLimits = { headersMs: 10_000, most: 512 };

/**
 * Caps unauthenticated connections, so that silent ones don't exhaust file descriptors. Over the cap the oldest is closed. Call
 * the returned function when a connection has authenticated.
 */
export function limitStrangers(server: Server, most: number): (socket: Socket) => void {
  // A Set iterates in insertion order.
  const strangers = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    strangers.add(socket);
    socket.once('close', () => strangers.delete(socket));
    if (strangers.size <= most) return;
    const [oldest] = strangers;
    if (oldest === undefined) return;
    strangers.delete(oldest);
    oldest.destroy();
  });
  return (socket) => void strangers.delete(socket);
}
