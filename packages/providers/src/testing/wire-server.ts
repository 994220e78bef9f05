import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';

interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: unknown;
}

/** Answers one request. `closed` resolves when the connection is closed. */
export type Answer = (response: ServerResponse, closed: Promise<void>) => void;

export interface WireServer {
  url: string;
  requests: Received[];
  /** Sets the answers to the next requests, in order. */
  will(...answers: readonly Answer[]): void;
  close(): Promise<void>;
}

/** A real server with scripted answers. An unexpected request fails with 418. */
export async function startWireServer(): Promise<WireServer> {
  const requests: Received[] = [];
  const planned: Answer[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const text = Buffer.concat(pieces).toString('utf8');
      const body: unknown = text === '' ? undefined : JSON.parse(text);
      requests.push({ path: request.url ?? '', headers: request.headers, body });
      const closed = new Promise<void>((resolve) => response.once('close', resolve));
      const answer = planned.shift() ?? json(418, { error: { message: 'unexpected request' } });
      answer(response, closed);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    will: (...answers) => planned.push(...answers),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

/** An HTML page, as from a gateway or login page. */
export function page(status: number, html: string): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'text/html' });
    response.end(html);
  };
}

const EVENT_STREAM = { 'content-type': 'text/event-stream' };

/** Server-sent events, split in the middle of lines and characters, as networks do. */
export function events(frames: readonly string[]): Answer {
  return (response) => {
    response.writeHead(200, EVENT_STREAM);
    const bytes = Buffer.from(frames.join(''), 'utf8');
    const size = Math.max(7, Math.ceil(bytes.length / 50));
    for (let at = 0; at < bytes.length; at += size) response.write(bytes.subarray(at, at + size));
    response.end();
  };
}

/** Sends these frames, then closes the connection. */
export function eventsThenHangUp(frames: readonly string[]): Answer {
  return (response) => {
    response.writeHead(200, EVENT_STREAM);
    response.write(frames.join(''), () => response.destroy());
  };
}

/** Sends the start of a JSON body, then closes the connection. */
export function halfOf(body: unknown): Answer {
  return (response) => {
    const text = JSON.stringify(body);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) });
    response.write(text.slice(0, text.length / 2), () => response.destroy());
  };
}

/** Sends these frames, then nothing until the client disconnects. */
export function eventsThenSilence(frames: readonly string[], hungUp: () => void): Answer {
  return (response, closed) => {
    response.writeHead(200, EVENT_STREAM);
    response.write(frames.join(''));
    void closed.then(hungUp);
  };
}

/** Never answers. */
export function silence(asked: () => void, hungUp: () => void): Answer {
  return (_, closed) => {
    void closed.then(hungUp);
    asked();
  };
}
