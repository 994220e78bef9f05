import { Readable } from 'node:stream';
import { measureJson } from '@countersign/protocol';
import type { AppRequest } from './context.js';
import { HttpProblem } from './http-problem.js';
import { problemTexts } from './problem-texts.js';

/** In bytes. Enough for the longest message in any script. */
const DEFAULT_BODY_LIMIT = 4 * 1024 * 1024;

/** More than any request has. Parsing more would block the process. */
const MAX_VALUES = 10_000;

const TYPES = {
  json: { pattern: /^application\/(?:json|[\w.+-]+\+json)\s*(?:;|$)/i, name: 'application/json' },
  yaml: {
    pattern: /^(?:application|text)\/(?:x-)?yaml\s*(?:;|$)/i,
    name: 'application/yaml',
  },
} as const;

/** The body as text. A body over the limit is rejected before it is read, or as soon as the limit is reached. */
export async function readBody(c: AppRequest, kind: keyof typeof TYPES, limit = DEFAULT_BODY_LIMIT): Promise<string> {
  const type = c.req.header('content-type') ?? '';
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(type)?.[1]?.toLowerCase() ?? 'utf-8';
  if (!TYPES[kind].pattern.test(type)) {
    throw new HttpProblem(415, problemTexts.wrongType(TYPES[kind].name));
  }
  if (charset !== 'utf-8' && charset !== 'utf8') throw new HttpProblem(415, problemTexts.wrongCharset);
  const encoding = c.req.header('content-encoding') ?? 'identity';
  if (encoding !== 'identity') throw new HttpProblem(415, problemTexts.encoded);
  if (Number(c.req.header('content-length') ?? 0) > limit) throw tooLarge(limit);
  const text = await readText(c, limit);
  if (kind === 'json' && measureJson(text).values > MAX_VALUES)
    throw new HttpProblem(413, problemTexts.tooManyValues(MAX_VALUES));
  return text;
}

/** Decodes chunk by chunk: decoding megabytes at once would block the event loop. */
async function readText(c: AppRequest, limit: number): Promise<string> {
  const decode = createDecoder();
  let text = '';
  let size = 0;
  try {
    for await (const piece of piecesOf(c)) {
      size += piece.byteLength;
      c.var.received?.(piece.byteLength);
      if (size > limit) throw tooLarge(limit);
      text += decode(piece);
    }
  } catch (cause) {
    throw cause instanceof HttpProblem ? cause : new HttpProblem(400, problemTexts.cutOff, { cause });
  }
  return text + decode();
}

/**
 * Whether the body is still being sent. The credential must be checked again after it was read: someone could hold the last byte back until
 * their session was ended or their role taken away.
 */
export function isArriving({ env: { incoming } }: AppRequest): boolean {
  return incoming?.complete !== true;
}

/** Reads from the socket if there is one: wrapping it in a web stream costs more than the rest of a short request. */
function piecesOf({ env: { incoming }, req }: AppRequest): AsyncIterable<Uint8Array> {
  // Don't destroy the socket on early exit: a client that sent too much must still get the 413. A program that mounts this API may have already
  // read the body.
  if (incoming !== undefined && !incoming.readableEnded)
    return incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  return Readable.from(req.raw.body ?? []);
}

/** Call it without bytes to flush. */
function createDecoder(): (bytes?: Uint8Array) => string {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  return (bytes) => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch (cause) {
      throw new HttpProblem(400, problemTexts.notUtf8, { cause });
    }
  };
}

function tooLarge(limit: number): HttpProblem {
  return new HttpProblem(413, problemTexts.tooLarge(limit));
}
