import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
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

interface WebFile {
  body: Uint8Array<ArrayBuffer>;
  type: string;
  etag: string;
  cache: string;
}

/**
 * Serves the web app's files from memory: a request only looks up a name, so path traversal is impossible. Any other name gets
 * the start page.
 */
export function serveWebApp(app: Hono<Env>, { webRoot }: Pick<AppContext, 'webRoot'>): void {
  const files = webRoot === undefined || !existsSync(webRoot) ? new Map<string, WebFile>() : readFiles(webRoot);
  const start = files.get('/index.html');
  app.get('*', (c) => {
    const file = files.get(decodeURIComponent(c.req.path)) ?? (extname(c.req.path) === '' ? start : undefined);
    if (file === undefined) throw new HttpProblem(404, nothing(start !== undefined));
    c.header('ETag', file.etag);
    c.header('Cache-Control', file.cache);
    c.header('Content-Type', file.type);
    return c.req.header('if-none-match') === file.etag ? c.body(null, 304) : c.body(file.body);
  });
  app.all('*', () => {
    throw new HttpProblem(405, problemTexts.getOnly, { headers: { Allow: 'GET' } });
  });
}

function nothing(hasApp: boolean): string {
  return hasApp ? problemTexts.noFile : problemTexts.noWebApp;
}

function readFiles(root: string): Map<string, WebFile> {
  const files = new Map<string, WebFile>();
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    const path = join(root, name);
    if (!statSync(path).isFile()) continue;
    const body = new Uint8Array(readFileSync(path));
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
    const address = `/${relative(root, path).split(sep).join('/')}`;
    // Names under assets/ change with their content. A cached start page would request files that no longer exist.
    const cache = address.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
    files.set(address, { body, type: TYPES[extname(path)] ?? 'application/octet-stream', etag, cache });
  }
  return files;
}
