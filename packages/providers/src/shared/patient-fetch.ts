import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

/** How long a server may say nothing at all. A model on a slow machine reads a long conversation for minutes before its first word. */
const SILENCE_MS = 15 * 60_000;

/** For the SDKs' own clocks, which count the whole wait: patience is measured here. */
export const NEVER_MS = 24 * 60 * 60_000;

/**
 * `fetch` with a patience of our choice: Node's own gives up after five minutes of silence, and can't be told otherwise. Follows no
 * redirection: the key would go along.
 */
export function patientFetch(silenceMs: number = SILENCE_MS): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
    const response = await send(request, body, silenceMs);
    const status = response.statusCode ?? 0;
    if (status >= 300 && status < 400 && status !== 304) {
      response.destroy();
      throw new Error(`the server wants to be asked elsewhere (${status}). Check the base URL.`);
    }
    const empty = status === 204 || status === 205 || status === 304;
    if (empty) response.resume();
    const stream = empty ? null : (Readable.toWeb(response) as ReadableStream<Uint8Array>);
    return new Response(stream, { status, headers: headersOf(response) });
  };
}

async function send(request: Request, body: Buffer | undefined, silenceMs: number): Promise<IncomingMessage> {
  const url = new URL(request.url);
  return await new Promise((resolve, reject) => {
    // Not by `import`: on Node 22.5 and newer that loads `WebSocket` and all of `fetch` as well, which takes 45 ms.
    const { request: open } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
    const outgoing = open(url, {
      method: request.method,
      headers: {
        ...Object.fromEntries(request.headers),
        'accept-encoding': 'identity',
        ...(body === undefined ? {} : { 'content-length': body.length }),
      },
      signal: request.signal,
      timeout: silenceMs,
    });
    outgoing.on('timeout', () =>
      outgoing.destroy(new Error(`timed out: nothing was said for ${silenceMs / 1000} seconds`)),
    );
    outgoing.on('response', resolve).on('error', reject);
    // After a switch to another protocol neither of the two comes.
    outgoing.on('close', () => reject(new Error('the server ended the connection without an answer')));
    outgoing.end(body);
  });
}

function headersOf({ headers }: IncomingMessage): Headers {
  const found = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) found.append(name, one);
  }
  return found;
}
