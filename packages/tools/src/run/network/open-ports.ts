import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { OpenedPort } from './types.js';

const MAX_TRIES = 16;
const MAX_OPEN = 256;

export interface OpenPorts {
  readonly ports: readonly OpenedPort[];
  close(): void;
}

/**
 * Opens ports of a run on a loopback address of its own. Never on 127.0.0.1 or ::1: cookies ignore ports, so a page of the run would receive
 * ours. `join` connects to a port of the program, and is undefined where nothing listens.
 */
export async function openPorts(
  id: string,
  ports: readonly number[],
  join: (port: number) => Promise<Socket | undefined>,
): Promise<OpenPorts> {
  if (ports.length === 0) return { ports: [], close: () => undefined };
  const sockets = new Set<Socket>();
  const connected = (port: number) => (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    if (sockets.size > MAX_OPEN) socket.destroy();
    else void pass(socket, () => join(port));
  };
  for (let tries = 0; ; tries += 1) {
    const address = addressOf(id, tries);
    const servers = ports.map((port) => ({ port, server: createServer({ pauseOnConnect: true }, connected(port)) }));
    try {
      await Promise.all(servers.map(({ port, server }) => listening(server, port, address)));
      return {
        ports: ports.map((inside) => ({ inside, url: `http://${address}:${inside}` })),
        close() {
          for (const { server } of servers) server.close();
          for (const socket of sockets) socket.destroy();
        },
      };
    } catch (error) {
      for (const { server } of servers) server.close();
      if (tries === MAX_TRIES) throw error;
    }
  }
}

/** In 127.77/16 to 127.203/16: far from addresses that systems use, such as 127.0.0.53 and 127.0.1.1. */
function addressOf(id: string, tries: number): string {
  const [a = 0, b = 0, c = 0] = createHash('sha256').update(`${id} ${tries}`).digest();
  return `127.${77 + (a % 127)}.${b}.${1 + (c % 254)}`;
}

async function listening(server: Server, port: number, address: string): Promise<void> {
  server.listen(port, address);
  await once(server, 'listening');
  server.on('error', () => undefined);
}

async function pass(socket: Socket, join: () => Promise<Socket | undefined>): Promise<void> {
  const inside = await join().catch(() => undefined);
  if (inside === undefined || socket.destroyed) {
    socket.destroy();
    inside?.destroy();
    return;
  }
  inside.on('error', () => undefined).once('close', () => socket.destroy());
  socket.once('close', () => inside.destroy());
  socket.pipe(inside).pipe(socket);
}
