import { createHash } from 'node:crypto';
import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { acceptChannels } from '@countersign/server/channel';

/** A proxy to a server that answers some requests with "busy". */
export interface BusyProxy {
  readonly url: string;
  /** Refuses this many of the next matching requests. */
  refuse(times: number, fits: (asked: Pick<IncomingMessage, 'method' | 'url'>) => boolean): void;
  /** How many were refused. */
  readonly refused: () => number;
  close(): Promise<void>;
}

/** `token`: that of the server, with which the proxy proves itself. */
export async function openBusyProxy(to: string, token: string): Promise<BusyProxy> {
  const target = new URL(to);
  let left = 0;
  let refused = 0;
  let fits: (asked: Pick<IncomingMessage, 'method' | 'url'>) => boolean = () => false;
  const server = createServer((asked, answer) => {
    if (left > 0 && fits(asked)) {
      left -= 1;
      refused += 1;
      asked.resume();
      answer.writeHead(503, { 'Content-Type': 'application/problem+json' });
      answer.end(
        JSON.stringify({ type: 'about:blank', status: 503, title: 'Busy', detail: 'The server is busy. Try again.' }),
      );
      return;
    }
    const { method, url, headers } = asked;
    const on = request(
      { host: target.hostname, port: target.port, method, path: url, headers: { ...headers, host: target.host } },
      (got) => {
        answer.writeHead(got.statusCode ?? 502, got.headers);
        got.pipe(answer);
      },
    );
    on.on('error', () => answer.destroy());
    answer.on('close', () => on.destroy());
    asked.pipe(on);
  });
  acceptChannels(server, { hashOf: () => Promise.resolve(createHash('sha256').update(token).digest()) });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refuse(times, which) {
      left = times;
      fits = which;
    },
    refused: () => refused,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
