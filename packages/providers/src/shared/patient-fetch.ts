import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { guardedLookup, isMetadataHost, refusal } from './guarded-lookup.js';

/** How long a server may be silent. On a slow machine, a model may process a long conversation for minutes before it answers. */
const SILENCE_MS = 15 * 60_000;

/** Disables the SDKs' own timeouts, which limit the total time. */
export const NEVER_MS = 24 * 60 * 60_000;

/** The error code for a redirect. */
export const REDIRECT_CODE = 'EREDIRECT';

/** `fetch` with a configurable inactivity timeout; Node's is fixed at five minutes. Rejects redirects, which would leak the key. */
export function patientFetch(silenceMs: number = SILENCE_MS): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
    const response = await send(request, body, silenceMs);
    const status = response.statusCode ?? 0;
    if (status >= 300 && status < 400 && status !== 304) {
      response.destroy();
      const detail = `the server redirects (${status}). Check the base URL.`;
      throw Object.assign(new Error(detail), { code: REDIRECT_CODE });
    }
    const empty = status === 204 || status === 205 || status === 304;
    if (empty) response.resume();
    const stream = empty ? null : (Readable.toWeb(response) as ReadableStream<Uint8Array>);
    return new Response(stream, { status, headers: headersOf(response) });
  };
}

async function send(request: Request, body: Buffer | undefined, silenceMs: number): Promise<IncomingMessage> {
  const url = new URL(request.url);
  // An IP address is not looked up.
  if (isMetadataHost(url.hostname)) throw refusal();
  return await new Promise((resolve, reject) => {
    // Don't use `import`: since Node 22.5 it also loads `WebSocket` and all of `fetch`, which takes 45 ms.
    const { request: open } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
    const outgoing = open(url, {
      method: request.method,
      headers: {
        ...Object.fromEntries(request.headers),
        'accept-encoding': 'identity',
        ...(body === undefined ? {} : { 'content-length': body.length }),
      },
      signal: request.signal,
      lookup: guardedLookup(),
      timeout: silenceMs,
    });
    outgoing.on('timeout', () =>
      outgoing.destroy(new Error(`timed out after ${silenceMs / 1000} seconds without data`)),
    );
    outgoing.on('response', resolve).on('error', reject);
    // After a protocol switch, neither a response nor an error arrives.
    outgoing.on('close', () => reject(new Error('the server closed the connection without a response')));
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
