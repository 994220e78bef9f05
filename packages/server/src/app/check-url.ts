import type { MiddlewareHandler } from 'hono';
import type { Env } from './context.js';
import { HttpProblem } from './http-problem.js';
import { problemTexts } from './problem-texts.js';

/** Rejects a URL that is not valid UTF-8: lenient decoding would turn an invalid byte into a different id. */
export const checkUrl: MiddlewareHandler<Env> = async (c, next) => {
  if (c.req.url.includes('%')) {
    const { pathname, search } = new URL(c.req.url);
    refuseBroken(pathname, 'path');
    refuseBroken(search, 'query');
  }
  await next();
};

function refuseBroken(encoded: string, what: string): void {
  if (decode(encoded, what).includes('\0')) {
    throw new HttpProblem(400, problemTexts.nulInUrl(what), { field: what });
  }
}

function decode(encoded: string, what: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch (cause) {
    throw new HttpProblem(400, problemTexts.urlNotUtf8(what), { field: what, cause });
  }
}
