import type * as Http from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { Socket as Datagrams } from 'node:dgram';
import { connect as netConnect, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { readNameQuestion, writeNameAnswer, type NameQuestion } from './answer-name.js';
import { joinSockets, type Requires } from './join-sockets.js';
import { GATEWAY_PORT } from './listen-scripts.js';
import { createNameTable } from './name-table.js';
import { errorMessage, ToolFailure } from '@countersign/core/ports';
import {
  publicNetwork,
  RefusedHostError,
  resolveHost,
  type Address,
  type Network,
  type RefusedHost,
} from '../../web/network.js';

// Don't use `import`: since Node 22.5 it also loads `WebSocket` and all of `fetch`, which takes 45 ms.
const http = (): typeof Http => process.getBuiltinModule('node:http');

/** The proxy variables. Programs that ignore them can't connect to anything. */
export function gatewayEnvironment(opensLoopback = false): Record<string, string> {
  const address = `http://127.0.0.1:${GATEWAY_PORT}`;
  const names = ['http_proxy', 'https_proxy', 'all_proxy'].flatMap((name) => [name, name.toUpperCase()]);
  const inside = opensLoopback ? '' : 'localhost,127.0.0.1,::1';
  const own = { no_proxy: inside, NO_PROXY: inside, NODE_USE_ENV_PROXY: '1' };
  return { ...Object.fromEntries(names.map((name) => [name, address])), ...own };
}

/** How to resolve a host and connect to its address. Tests replace it, because they must not leave the machine. */
export interface Outside {
  readonly network: Network;
  readonly connect: (address: string, port: number) => Socket;
}

export const THE_INTERNET: Outside = { network: publicNetwork, connect: (host, port) => netConnect({ host, port }) };

/** The maximum number of concurrent sockets and lookups per sandbox, because the whole process shares these resources. */
const MAX_OPEN = 512;
const MAX_ASKING = 8;

/** Connects the sandbox's network to public addresses only (SAFE5). */
export interface Gateway {
  /** Accepts connections from a socket that listens in the sandbox. */
  serve(listener: Server): void;
  /** Answers DNS queries with addresses inside the sandbox, on which `serveDirectly` listens. */
  serveNames(socket: Datagrams): void;
  /** Accepts connections to such an address and forwards them to its host. */
  serveDirectly(listener: Server): void;
  close(): void;
}

/** `port` is undefined while only a name is looked up. */
export interface GatewayOptions {
  /** Called for each address that was refused because it is not public. */
  readonly onRefused?: ((refused: RefusedHost) => void) | undefined;
  /** Other hosts are not even resolved. */
  readonly mayReach?: (host: string, port?: number) => boolean;
  readonly onTried?: (tried: { host: string; port: number | undefined; allowed: boolean }) => void;
  readonly requires?: (host: string) => Requires;
}

/**
 * A proxy for HTTP, and through CONNECT for other protocols. Resolves a name once and connects to the address that was checked: a second lookup
 * could return a different one (DNS rebinding).
 */
export function openGateway(
  { network, connect }: Outside = THE_INTERNET,
  { onRefused, mayReach = () => true, onTried, requires = () => 'any' }: GatewayOptions = {},
): Gateway {
  const open = new Set<Duplex>();
  let asking = 0;
  let closed = false;
  const keep = <S extends Duplex>(socket: S): S => {
    open.add(socket);
    socket.on('error', () => undefined).on('close', () => open.delete(socket));
    return socket;
  };
  const resolve = async (host: string, port?: number): Promise<readonly Address[]> => {
    const tried = (allowed: boolean): void => onTried?.({ host, port, allowed });
    if (!mayReach(host, port)) {
      tried(false);
      throw new ToolFailure(`no rule allows connections to ${host}`);
    }
    try {
      const found = await resolveHost(host, network, port);
      if (port !== undefined) tried(true);
      return found;
    } catch (error) {
      if (error instanceof RefusedHostError) onRefused?.(error.refused);
      tried(!(error instanceof RefusedHostError));
      throw error;
    }
  };
  const reach = async (host: string, port: number): Promise<Socket> => {
    const [found] = await resolve(host, port);
    if (found === undefined) throw new Error(`${host} has no address`);
    return keep(connect(found.address, port));
  };
  const proxy = http().createServer((request, response) => {
    void forward(request, { reach, requires })
      .then((answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response).on('error', () => answer.destroy());
      })
      .catch((error: unknown) => {
        if (!response.headersSent) response.writeHead(403, { 'content-type': 'text/plain' });
        response.end(`${asciiMessage(error)}\n`);
      });
  });
  proxy.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    void tunnel(request, socket, head, { reach, requires });
  });
  const names = createNameTable();
  // Where every address leads to us (see `holdNetwork`), other addresses are hosts themselves.
  const hostAt = (address: string): string | undefined =>
    names.nameAt(address) ?? (address.startsWith('127.') ? undefined : address);
  const ends: (() => void)[] = [];
  const take = (listener: Server, taken: (socket: Socket) => void): void => {
    ends.push(() => listener.close());
    listener
      .on('error', () => undefined)
      .on('connection', (socket) => {
        if (open.size < MAX_OPEN) taken(keep(socket));
        else socket.destroy();
      });
  };
  const answer = async (question: NameQuestion): Promise<Buffer> => {
    try {
      await resolve(question.name);
    } catch {
      return writeNameAnswer(question, null);
    }
    return writeNameAnswer(question, question.wantsAddress ? (names.addressOf(question.name) ?? null) : undefined);
  };
  return {
    serve: (listener) => take(listener, (socket) => proxy.emit('connection', socket)),
    serveNames(socket) {
      ends.push(() => socket.close());
      socket
        .on('error', () => undefined)
        .on('message', (packet, { address, port }) => {
          const question = readNameQuestion(packet);
          // Drop the packet: a DNS client without an answer retries.
          if (question === undefined || asking >= MAX_ASKING) return;
          asking += 1;
          void answer(question).then((reply) => {
            asking -= 1;
            if (!closed) socket.send(reply, port, address, () => undefined);
          });
        });
    },
    serveDirectly(listener) {
      take(listener, (socket) => {
        const host = hostAt(socket.localAddress ?? '');
        if (host === undefined) socket.destroy();
        else void join(socket, { host, requires: requires(host) }, () => reach(host, socket.localPort ?? 0));
      });
    },
    close() {
      closed = true;
      for (const end of ends) end();
      for (const socket of open) socket.destroy();
    },
  };
}

/** Data that a program sends before the other side is connected stays in its socket. */
async function join(
  socket: Socket,
  to: { host: string; requires: Requires },
  reach: () => Promise<Socket>,
): Promise<void> {
  socket.pause();
  try {
    const outside = await reach();
    outside.once('connect', () => joinSockets(socket, outside, to));
    outside.once('close', () => socket.destroy());
    socket.once('close', () => outside.destroy());
  } catch {
    socket.destroy();
  }
}

interface Ways {
  readonly reach: (host: string, port: number) => Promise<Socket>;
  readonly requires: (host: string) => Requires;
}

async function tunnel(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  { reach, requires }: Ways,
): Promise<void> {
  try {
    const { host, port } = readAuthority(request.url ?? '');
    const outside = await reach(host, port);
    outside.once('connect', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      if (head.length > 0) socket.unshift(head);
      joinSockets(socket, outside, { host, requires: requires(host) });
    });
    outside.once('close', () => socket.destroy());
    socket.once('close', () => outside.destroy());
  } catch (error) {
    const words = `${asciiMessage(error)}\n`;
    socket.end(`HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nContent-Length: ${words.length}\r\n\r\n${words}`);
  }
}

function readAuthority(text: string): { host: string; port: number } {
  const url = new URL(`http://${text}`);
  const port = Number(/:(\d+)$/.exec(text)?.[1]);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error('no such port');
  return { host: url.hostname, port };
}

/** Hop-by-hop headers, which a proxy must not forward. */
const BETWEEN = ['proxy-connection', 'proxy-authorization', 'connection', 'keep-alive', 'te', 'trailer', 'upgrade'];

async function forward(request: IncomingMessage, { reach, requires }: Ways): Promise<IncomingMessage> {
  const url = new URL(request.url ?? '');
  if (url.protocol !== 'http:' || requires(url.hostname) === 'tls')
    throw new Error('only plain http is forwarded; use CONNECT for everything else');
  const socket = await reach(url.hostname, Number(url.port || 80));
  const headers = Object.entries(request.headers).filter(([name]) => !BETWEEN.includes(name));
  return await new Promise((resolve, reject) => {
    const outgoing = http().request({
      createConnection: () => socket,
      method: request.method,
      path: `${url.pathname}${url.search}`,
      headers: { ...Object.fromEntries(headers), host: url.host, connection: 'close' },
    });
    outgoing.on('response', resolve).on('error', reject);
    request.pipe(outgoing);
  });
}

/** Keeps only characters that are valid in a header. */
function asciiMessage(error: unknown): string {
  return errorMessage(error).replaceAll(/[^\x20-\x7e]/g, '?');
}
