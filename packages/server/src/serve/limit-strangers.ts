import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** How connections are treated before a request on them has shown a credential (W7). */
export interface StrangerLimits {
  /** How long a connection may take to send the head of a request. */
  headersMs: number;
  /** How many may be open at once. */
  most: number;
}

export const STRANGER_LIMITS: StrangerLimits = { headersMs: 10_000, most: 512 };

/**
 * Caps the connections that have shown no credential, so that silent ones don't use up the file descriptors. Over the cap the oldest
 * one is closed: the newest may be the owner's. Returns what to call with a connection that has shown a credential.
 */
export function limitStrangers(server: Server, most: number): (socket: Socket) => void {
  // A set keeps the order in which they came.
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
