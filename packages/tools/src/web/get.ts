import type { IncomingMessage, RequestOptions } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { ToolFailure } from '@countersign/core/ports';
import { onlyTo, type Address } from './network.js';

export interface Answer {
  status: number;
  location: string | undefined;
  contentType: string;
  /** The decompressed body, at most `limitBytes`. */
  body: Buffer;
  cut: boolean;
}

/** Sends one GET to one of these addresses. Doesn't resolve the name again: DNS could return a different address (rebinding). */
export async function get(
  url: URL,
  addresses: readonly Address[],
  { signal, limitBytes }: { signal: AbortSignal; limitBytes: number },
): Promise<Answer> {
  const response = await open(url, addresses, signal);
  const { statusCode = 0, headers } = response;
  const isRedirect = headers.location !== undefined && REDIRECTS.has(statusCode);
  const about = {
    status: statusCode,
    location: isRedirect ? headers.location : undefined,
    contentType: headers['content-type'] ?? '',
  };
  if (isRedirect || !isText(about.contentType)) {
    response.destroy();
    return { ...about, body: Buffer.alloc(0), cut: false };
  }
  try {
    return { ...about, ...(await read(unpack(response, headers['content-encoding']), limitBytes)) };
  } finally {
    response.destroy();
  }
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

const TEXT =
  /^(?:text\/[^;]+|application\/(?:[\w.+-]+\+)?(?:json|xml|yaml|javascript|ecmascript|x-yaml|x-ndjson|xhtml\+xml|toml|sql|graphql))\s*(?:;|$)/i;

/** A response without a content type is judged by its bytes. */
export function isText(contentType: string): boolean {
  return contentType.trim() === '' || TEXT.test(contentType.trim());
}

async function open(url: URL, addresses: readonly Address[], signal: AbortSignal): Promise<IncomingMessage> {
  const allowed = new Set(addresses.map(({ address }) => address));
  const options: RequestOptions = {
    method: 'GET',
    // No shared connection, no proxy from the environment, no keep-alive.
    agent: false,
    signal,
    lookup: onlyTo(addresses),
    headers: {
      accept: 'text/html, application/xhtml+xml, text/*;q=0.9, application/json;q=0.9, */*;q=0.1',
      'accept-encoding': 'gzip, deflate, br',
      'user-agent': 'countersign web_fetch',
    },
  };
  return await new Promise((resolve, reject) => {
    // Don't use `import`: since Node 22.5 it also loads `WebSocket` and all of `fetch`, which takes 45 ms.
    const { request: send } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
    const request = send(url, options, resolve);
    request.on('error', reject);
    request.on('socket', (socket) => {
      socket.on('connect', () => {
        // If the socket is connected to any other address, send nothing.
        const { remoteAddress = '' } = socket;
        if (!allowed.has(remoteAddress)) request.destroy(new ToolFailure(`connected to ${remoteAddress} instead`));
      });
    });
    request.end();
  });
}

function unpack(response: IncomingMessage, encoding = 'identity'): Readable {
  switch (encoding.trim().toLowerCase()) {
    case 'identity':
      return response;
    case 'gzip':
    case 'x-gzip':
      return through(response, createGunzip());
    case 'deflate':
      return through(response, createInflate());
    case 'br':
      return through(response, createBrotliDecompress());
    default:
      throw new ToolFailure(`the response has an unsupported content encoding: ${encoding.slice(0, 40)}`);
  }
}

function through(response: IncomingMessage, unpacking: NodeJS.ReadWriteStream & Readable): Readable {
  response.on('error', (error) => unpacking.destroy(error));
  response.pipe(unpacking);
  return unpacking;
}

/** Limits the decompressed size: a small file can expand until memory is exhausted. */
async function read(stream: Readable, limitBytes: number): Promise<{ body: Buffer; cut: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = chunk as Buffer;
    chunks.push(bytes);
    size += bytes.length;
    if (size <= limitBytes) continue;
    stream.destroy();
    return { body: Buffer.concat(chunks).subarray(0, limitBytes), cut: true };
  }
  return { body: Buffer.concat(chunks), cut: false };
}
