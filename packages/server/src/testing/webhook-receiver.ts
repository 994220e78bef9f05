import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { publicNetwork } from '@countersign/tools';
import type { OutboundRoute } from '../outbound/named-hosts.js';
import { listenOn } from '../serve/listen-on.js';
import type { Message } from '../webhooks/compose-message.js';
import { until } from './app-fixture.js';

interface Received {
  message: Message;
  body: string;
  headers: IncomingHttpHeaders;
}

export interface WebhookReceiver {
  readonly url: string;
  /** For an app that may send here. */
  readonly route: OutboundRoute;
  /** Oldest first, whatever was answered. */
  readonly received: readonly Received[];
  /** Later requests get this answer; undefined: none. */
  answer(answer: ((response: ServerResponse) => void) | undefined): void;
  /** Waits until this many came, and returns the last one. */
  last(count: number): Promise<Received>;
  close(): void;
}

/** A program that gets webhooks at a local address, over plain HTTP. */
export async function openWebhookReceiver(): Promise<WebhookReceiver> {
  const received: Received[] = [];
  let respond: ((response: ServerResponse) => void) | undefined = (response) => void response.writeHead(204).end();
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ message: JSON.parse(body) as Message, body, headers: request.headers });
      respond?.(response);
    });
  });
  const host = `127.0.0.1:${await listenOn(server, 0, '127.0.0.1')}`;
  return {
    url: `http://${host}/hook?token=of-the-receiver`,
    route: { named: [host], network: publicNetwork },
    received,
    answer(answer) {
      respond = answer;
    },
    last: async (count) => await until(async () => received[count - 1], `${count} messages came`, 10_000),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
