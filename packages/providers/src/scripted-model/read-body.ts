import type { IncomingMessage } from 'node:http';

/** Anthropic's limit, the largest of all vendors. */
const MAX_BYTES = 32 * 1024 * 1024;

/** The body as text; undefined if it is too large. */
export async function readBody(request: IncomingMessage): Promise<string | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BYTES) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const bytes = chunk as Buffer;
    size += bytes.length;
    if (size > MAX_BYTES) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}
