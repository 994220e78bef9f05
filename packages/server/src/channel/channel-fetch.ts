import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { openChannel } from './open-channel.js';

const EMPTY: readonly number[] = [204, 205, 304];

/**
 * A fetch that sends nothing before the server has proved that it knows the token: over http in a channel, one for each request; over https,
 * its certificate is the proof. Never follows a redirect. Bodies are text.
 */
export function channelFetch(token: string): typeof fetch {
  return async (input, init = {}) => {
    const to = new URL(input instanceof Request ? input.url : input);
    if (to.protocol === 'https:') return await fetch(to, { ...init, redirect: 'error' });
    const { signal } = init;
    try {
      return await send(to, init, token);
    } catch (cause) {
      if (signal?.aborted === true) throw signal.reason;
      // As fetch does.
      throw new TypeError('fetch failed', { cause });
    }
  };
}

async function send(to: URL, { method = 'GET', headers, body, signal }: RequestInit, token: string): Promise<Response> {
  const { request } = await import('node:http');
  const text = typeof body === 'string' ? body : '';
  const aborted = signal ?? undefined;
  const socket = await openChannel(to, token, aborted);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(to, {
      method,
      createConnection: () => socket,
      headers: {
        ...Object.fromEntries(new Headers(headers)),
        connection: 'close',
        ...(text === '' ? {} : { 'content-length': Buffer.byteLength(text) }),
      },
      ...(aborted === undefined ? {} : { signal: aborted }),
    });
    sent.once('response', resolve).once('error', reject).end(text);
  });
  const { statusCode: status = 0 } = response;
  const given = Object.entries(response.headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): [string, string] => [name, each]),
  );
  if (EMPTY.includes(status)) response.resume();
  const content = EMPTY.includes(status) ? null : (Readable.toWeb(response) as ReadableStream<Uint8Array>);
  return new Response(content, { status, headers: given });
}
