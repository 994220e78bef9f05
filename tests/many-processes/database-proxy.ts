import { once } from 'node:events';
import { createServer, connect, type Socket } from 'node:net';

/** A proxy to a database. While it is cut, it silently drops all traffic. */
export interface DatabaseProxy {
  readonly url: string;
  cut(): void;
  restore(): void;
  /** Closes the connection that next sends this text, after the database has answered and before the answer arrives. */
  loseAnswerTo(text: string): { readonly isLost: boolean };
  close(): void;
}

export async function openDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let isCut = false;
  let losing: { text: string; isLost: boolean } | undefined;
  const server = createServer((near) => {
    const far = connect({ host: target.hostname, port: Number(target.port) });
    let doomed: typeof losing;
    near.on('data', (data) => {
      if (losing === undefined || !data.includes(losing.text)) return;
      doomed = losing;
      losing = undefined;
    });
    far.prependListener('data', () => {
      if (doomed === undefined) return;
      doomed.isLost = true;
      near.destroy();
    });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.on('data', (data) => to.write(data));
      if (isCut) from.pause();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = new URL(databaseUrl);
  url.port = String(typeof address === 'object' && address !== null ? address.port : 0);
  return {
    url: url.href,
    loseAnswerTo: (text) => (losing = { text, isLost: false }),
    cut() {
      isCut = true;
      for (const socket of sockets) socket.pause();
    },
    restore() {
      isCut = false;
      for (const socket of sockets) socket.resume();
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
