import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import type { Hono } from 'hono';
import type { AppContext, Env } from './context.js';
import { HttpProblem } from './http-problem.js';
import { problemTexts } from './problem-texts.js';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/** The encodings of the compressed copies that the build writes next to each file, best first. */
const ENCODINGS = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
] as const;

interface Body {
  bytes: Uint8Array<ArrayBuffer>;
  etag: string;
}

interface WebFile extends Body {
  type: string;
  cache: string;
  encoded: readonly (Body & { name: string })[];
}

/**
 * Serves the web app's files from memory: a request only looks up a name, so path traversal is impossible. Unknown names get the start page.
 */
export function serveWebApp(app: Hono<Env>, { webRoot }: Pick<AppContext, 'webRoot'>): void {
  const files = webRoot === undefined || !existsSync(webRoot) ? new Map<string, WebFile>() : readFiles(webRoot);
  const start = files.get('/index.html');
  app.get('*', (c) => {
    const file = files.get(decodeURIComponent(c.req.path)) ?? (extname(c.req.path) === '' ? start : undefined);
    if (file === undefined) throw new HttpProblem(404, noFileText(start !== undefined));
    const accepted = acceptedEncodings(c.req.header('accept-encoding') ?? '');
    const encoded = file.encoded.find(({ name }) => accepted.has(name));
    const { bytes, etag } = encoded ?? file;
    c.header('ETag', etag);
    c.header('Cache-Control', file.cache);
    c.header('Content-Type', file.type);
    if (file.encoded.length > 0) c.header('Vary', 'Accept-Encoding');
    if (c.req.header('if-none-match') === etag) return c.body(null, 304);
    if (encoded !== undefined) c.header('Content-Encoding', encoded.name);
    return c.body(bytes);
  });
  app.all('*', () => {
    throw new HttpProblem(405, problemTexts.getOnly, { headers: { Allow: 'GET' } });
  });
}

function noFileText(hasApp: boolean): string {
  return hasApp ? problemTexts.noFile : problemTexts.noWebApp;
}

/** The encodings that an `Accept-Encoding` header names, except those it excludes with `q=0`. */
function acceptedEncodings(header: string): Set<string> {
  const names = header.split(',').flatMap((part) => {
    const [name = '', ...parameters] = part.split(';').map((word) => word.trim().toLowerCase());
    return parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)) ? [] : [name];
  });
  return new Set(names);
}

function readFiles(root: string): Map<string, WebFile> {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(root, name)).isFile(),
  );
  const known = new Set(names);
  const isCopy = (name: string): boolean =>
    ENCODINGS.some(({ ending }) => name.endsWith(ending) && known.has(name.slice(0, -ending.length)));
  return new Map(
    names
      .filter((name) => !isCopy(name))
      .map((name) => {
        const address = `/${name.split(sep).join('/')}`;
        return [
          address,
          {
            ...readBody(join(root, name)),
            type: TYPES[extname(name)] ?? 'application/octet-stream',
            // Names under assets/ change with their content. The start page is not cached, because it would request files that no longer exist.
            cache: address.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
            encoded: ENCODINGS.filter(({ ending }) => known.has(name + ending)).map((encoding) => ({
              name: encoding.name,
              ...readBody(join(root, name + encoding.ending)),
            })),
          },
        ];
      }),
  );
}

function readBody(path: string): Body {
  const bytes = new Uint8Array(readFileSync(path));
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
}
