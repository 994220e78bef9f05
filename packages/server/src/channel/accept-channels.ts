import { randomBytes } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { createServer } from 'node:tls';
import { CHANNEL_TARGET, CHANNEL_TLS, keyOfHash, TOKEN_ID_HEADER } from './channel-key.js';

const HANDSHAKE_MS = 10_000;

interface ChannelOptions {
  /** The hash of the token with this id; undefined for an unknown id. */
  readonly hashOf: (tokenId: string) => Promise<Buffer | undefined>;
  /** Called for each connection whose client knows its token. */
  readonly onProven?: (socket: Socket) => void;
}

/** Lets clients open channels to a server (WHO3). Inside one, the server sees ordinary connections. */
export function acceptChannels(server: Server, options: ChannelOptions): void {
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    socket.on('error', () => socket.destroy());
    accept(request, socket).catch(() => socket.destroy());
  });

  async function accept({ url, headers }: IncomingMessage, socket: Socket): Promise<void> {
    const id = headers[TOKEN_ID_HEADER];
    if (url !== CHANNEL_TARGET || typeof id !== 'string') return refuse(socket, '400 Bad Request');
    const found = await options.hashOf(id).catch(() => 'unavailable' as const);
    if (found === 'unavailable') return refuse(socket, '503 Service Unavailable');
    // An unknown id fails like a wrong secret, so nobody learns which ids exist.
    const key = keyOfHash(found ?? randomBytes(32));
    if (socket.destroyed) return;
    // One for each connection, because its key depends on the token.
    const channel = createServer({ ...CHANNEL_TLS, handshakeTimeout: HANDSHAKE_MS, pskCallback: () => key });
    channel.once('tlsClientError', () => socket.destroy());
    channel.once('secureConnection', (secure) => {
      options.onProven?.(socket);
      // Otherwise, links in answers would begin with https.
      Object.defineProperty(secure, 'encrypted', { value: false });
      server.emit('connection', secure);
    });
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    channel.emit('connection', socket);
  }
}

function refuse(socket: Socket, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
}
