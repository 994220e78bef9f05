import { Readable } from 'node:stream';
import type { AppRequest } from './context.js';
import { HttpProblem } from './http-problem.js';
import { problemTexts } from './problem-texts.js';

/** Twice the longest message, and far from what a process can hold. */
const DEFAULT_BODY_LIMIT = 2 * 1024 * 1024;

const TYPES = {
  json: { pattern: /^application\/(?:json|[\w.+-]+\+json)\s*(?:;|$)/i, name: 'application/json' },
  yaml: {
    pattern: /^(?:application|text)\/(?:x-)?yaml\s*(?:;|$)/i,
    name: 'application/yaml',
  },
} as const;

/** The body as text. What is too large is refused before it is read, or as soon as it shows. */
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
  return await readText(c, limit);
}

/** Decodes each piece when it comes: decoding megabytes at once would block everybody else. */
async function readText(c: AppRequest, limit: number): Promise<string> {
  const decode = createDecoder();
  let text = '';
  let size = 0;
  try {
    for await (const piece of piecesOf(c)) {
      size += piece.byteLength;
      if (size > limit) throw tooLarge(limit);
      text += decode(piece);
    }
  } catch (cause) {
    throw cause instanceof HttpProblem ? cause : new HttpProblem(400, problemTexts.cutOff, { cause });
  }
  return text + decode();
}

/** From the socket where there is one: making a web stream of it costs more than everything else that a short message needs. */
function piecesOf({ env: { incoming }, req }: AppRequest): AsyncIterable<Uint8Array> {
  // Not destroyed with the loop: a client that sent too much still gets the reason for the refusal.
  if (incoming !== undefined) return incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  return Readable.from(req.raw.body ?? []);
}

/** Called without bytes at the end. */
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
