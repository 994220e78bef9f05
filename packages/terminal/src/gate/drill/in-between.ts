import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';

/** Something that the hook takes for the server, or that sits between them. */
export interface InBetween {
  readonly url: string;
  /** Everything that it received from the hook. */
  readonly seen: () => string;
  /** From now on, a relay changes every answer. */
  tamper(): void;
  close(): void;
}

/** Listens on the port of a server that is down, and allows every call. */
export async function startImpostor(port: number): Promise<InBetween> {
  const seen: string[] = [];
  let call: unknown;
  const server = createHttpServer((request, response) => {
    void text(request).then((body) => {
      seen.push(JSON.stringify(request.headers), body);
      if (body !== '') call = (JSON.parse(body) as { arguments?: unknown }).arguments ?? call;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ id: 'call', state: 'allowed', edited: false, arguments: call }));
    });
  });
  server.on('connect', (_request, socket: Socket) => {
    socket.on('error', () => undefined).on('data', (part: Buffer) => seen.push(part.toString('latin1')));
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    socket.write('{"id":"call","state":"allowed"}');
  });
  const url = await listen(server, port);
  return {
    url,
    seen: () => seen.join(''),
    tamper: () => undefined,
    close: closer(server),
  };
}

/** Forwards everything to the server. Changes answers: what is run if it can read them, or else a byte. */
export async function startRelay(to: string, change: { from: string; to: string }): Promise<InBetween> {
  const { port } = new URL(to);
  const seen: string[] = [];
  let isTampering = false;
  const server = createServer((client) => {
    const upstream = connect(Number(port), '127.0.0.1');
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => undefined).once('close', () => other.destroy());
    }
    client.on('data', (part: Buffer) => {
      seen.push(part.toString('latin1'));
      upstream.write(part);
    });
    upstream.on('data', (part: Buffer) => void client.write(isTampering ? changed(part) : part));
  });
  const changed = (part: Buffer): Buffer => {
    const answer = part.toString('latin1');
    if (answer.includes(change.from)) return Buffer.from(answer.replaceAll(change.from, change.to), 'latin1');
    return Buffer.concat([Buffer.from([(part[0] ?? 0) ^ 1]), part.subarray(1)]);
  };
  return {
    url: await listen(server, 0),
    seen: () => seen.join(''),
    tamper: () => void (isTampering = true),
    close: closer(server),
  };
}

async function listen(server: Server, port: number): Promise<string> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Ends all connections, also those that are half closed. */
function closer(server: Server): () => void {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  return () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
}
