import { createServer as createHttpServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect as netConnect, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { wordsOf } from '@countersign/core/ports';
import { publicNetwork, resolveHost, type Network } from '../../web/network.js';

/** Where commands in the sandbox find the gateway: in their network there is nothing else. */
const PORT = 3128;

/**
 * Run by our own Node inside the sandbox before the command: listens there and hands the listening socket out to us. It stays in
 * the sandbox's network wherever it is held, so what connects to it is in there, and what we connect to is out here.
 */
export const LISTEN = `
const server = require('node:net').createServer().listen(${PORT}, '127.0.0.1', () => {
  process.send('listening', server, () => process.exit());
});
`;

/** How programs are told of it. Those that ask for no proxy reach nothing. */
export function gatewayEnvironment(): Record<string, string> {
  const address = `http://127.0.0.1:${PORT}`;
  const names = ['http_proxy', 'https_proxy', 'all_proxy'].flatMap((name) => [name, name.toUpperCase()]);
  return { ...Object.fromEntries(names.map((name) => [name, address])), NODE_USE_ENV_PROXY: '1' };
}

/** For tests, which may not leave the machine: how a host is found, and how an address that was found is reached. */
export interface Outside {
  readonly network: Network;
  readonly connect: (address: string, port: number) => Socket;
}

export const THE_INTERNET: Outside = { network: publicNetwork, connect: (host, port) => netConnect({ host, port }) };

/** A way out of the sandbox's own network, to public addresses and no others (A20). */
export interface Gateway {
  /** Takes what comes in through a socket that listens inside the sandbox. */
  serve(listener: Server): void;
  close(): void;
}

/**
 * A proxy for HTTP, and by CONNECT for whatever else. A name is resolved here, once, and what was found and judged is what is
 * connected to: asked again, a name could answer with another address.
 */
export function openGateway({ network, connect }: Outside = THE_INTERNET): Gateway {
  const open = new Set<Duplex>();
  const keep = <S extends Duplex>(socket: S): S => {
    open.add(socket);
    socket.on('error', () => undefined).on('close', () => open.delete(socket));
    return socket;
  };
  const reach = async (host: string, port: number): Promise<Socket> => {
    const [found] = await resolveHost(host, network);
    if (found === undefined) throw new Error(`${host} has no address`);
    return keep(connect(found.address, port));
  };
  const proxy = createHttpServer((request, response) => {
    void forward(request, reach)
      .then((answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response).on('error', () => answer.destroy());
      })
      .catch((error: unknown) => {
        if (!response.headersSent) response.writeHead(403, { 'content-type': 'text/plain' });
        response.end(`${plainWords(error)}\n`);
      });
  });
  proxy.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    void tunnel(request, socket, head, reach);
  });
  let listening: Server | undefined;
  return {
    serve(listener) {
      listening = listener;
      listener.on('connection', (socket) => proxy.emit('connection', keep(socket)));
    },
    close() {
      listening?.close();
      for (const socket of open) socket.destroy();
    },
  };
}

type Reach = (host: string, port: number) => Promise<Socket>;

async function tunnel(request: IncomingMessage, socket: Duplex, head: Buffer, reach: Reach): Promise<void> {
  try {
    const { host, port } = readAuthority(request.url ?? '');
    const outside = await reach(host, port);
    outside.once('connect', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      outside.write(head);
      outside.pipe(socket).pipe(outside);
    });
    outside.once('close', () => socket.destroy());
    socket.once('close', () => outside.destroy());
  } catch (error) {
    const words = `${plainWords(error)}\n`;
    socket.end(`HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nContent-Length: ${words.length}\r\n\r\n${words}`);
  }
}

function readAuthority(text: string): { host: string; port: number } {
  const url = new URL(`http://${text}`);
  const port = Number(/:(\d+)$/.exec(text)?.[1]);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error('no such port');
  return { host: url.hostname, port };
}

/** What is between two machines only, and not for the one behind. */
const BETWEEN = ['proxy-connection', 'proxy-authorization', 'connection', 'keep-alive', 'te', 'trailer', 'upgrade'];

async function forward(request: IncomingMessage, reach: Reach): Promise<IncomingMessage> {
  const url = new URL(request.url ?? '');
  if (url.protocol !== 'http:') throw new Error('only http is forwarded as it is; for all else use CONNECT');
  const socket = await reach(url.hostname, Number(url.port || 80));
  const headers = Object.entries(request.headers).filter(([name]) => !BETWEEN.includes(name));
  return await new Promise((resolve, reject) => {
    const outgoing = httpRequest({
      createConnection: () => socket,
      method: request.method,
      path: `${url.pathname}${url.search}`,
      headers: { ...Object.fromEntries(headers), host: url.host, connection: 'close' },
    });
    outgoing.on('response', resolve).on('error', reject);
    request.pipe(outgoing);
  });
}

/** In a header's own characters. */
function plainWords(error: unknown): string {
  return wordsOf(error).replaceAll(/[^\x20-\x7e]/g, '?');
}
