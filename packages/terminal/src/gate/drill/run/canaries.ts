import { createServer, type AddressInfo, type Server } from 'node:net';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { dirname } from 'node:path';

/** Services outside that count who reaches them. */
export interface Canaries {
  /** `host:port` of each TCP address. */
  readonly addresses: readonly string[];
  /** The names of those that were reached. */
  reached(): readonly string[];
  /** Listens at a path, in place of a service. Returns false if it can't. */
  listenAt(path: string): Promise<boolean>;
  close(): void;
}

export async function openCanaries(): Promise<Canaries> {
  const reached = new Set<string>();
  const servers: Server[] = [];
  const open = async (name: string, where: { port: number; host: string } | { path: string }): Promise<Server> => {
    const server = createServer((socket) => {
      reached.add(name);
      socket.on('error', () => undefined).end('canary');
    });
    server.listen(where);
    await once(server, 'listening');
    servers.push(server);
    return server;
  };
  const own = Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address;
  const addresses: string[] = [];
  for (const host of ['127.0.0.1', ...(own === undefined ? [] : [own])]) {
    const server = await open(host, { port: 0, host });
    addresses.push(`${host}:${(server.address() as AddressInfo).port}`);
  }
  return {
    addresses,
    reached: () => [...reached],
    async listenAt(path) {
      try {
        await mkdir(dirname(path), { recursive: true });
        await open(path, { path });
        return true;
      } catch {
        return false;
      }
    },
    close() {
      for (const server of servers) server.close();
    },
  };
}
