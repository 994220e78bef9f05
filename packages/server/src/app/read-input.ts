import { parseRequest } from '@countersign/protocol';
import type { AppContext, AppRequest } from './context.js';
import { findUnsupported } from './find-unsupported.js';
import { HttpProblem } from './http-problem.js';
import { readBody } from './read-body.js';
import type { Route, RouteInput } from './route.js';
import { problemTexts } from './problem-texts.js';

/** Parses and validates the parts of a request before the route runs, and rejects invalid ones with a message (HTTP1). */
export async function readInput(
  route: Route,
  c: AppRequest,
  context: AppContext,
): Promise<RouteInput<unknown, unknown, unknown>> {
  const params = readParams(route, c);
  const query = readQuery(route, c);
  const sent = await readSent(route, c, context);
  const body = route.body === undefined ? undefined : parseRequest(route.body.schemaFor(sent), sent, 'body');
  return { params, query, body, sent, c, context };
}

const LONGEST_ID = 200;

function readParams(route: Route, c: AppRequest): Record<string, string> {
  const params: Record<string, string> = {};
  for (const name of route.params) {
    const value = c.req.param(name) ?? '';
    if (value === '' || value.length > LONGEST_ID) {
      throw new HttpProblem(422, problemTexts.badId(name, LONGEST_ID), { field: name });
    }
    params[name] = value;
  }
  return params;
}

function readQuery(route: Route, c: AppRequest): unknown {
  const given: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of c.req.url.includes('?') ? new URL(c.req.url).searchParams : []) {
    // Reject duplicates, which would silently drop one of the values.
    if (name in given) throw new HttpProblem(422, problemTexts.repeated(name), { field: name });
    given[name] = value;
  }
  if (route.query !== undefined) return parseRequest(route.query, { ...given }, 'query');
  const [unknown] = Object.keys(given);
  if (unknown === undefined) return undefined;
  throw new HttpProblem(422, problemTexts.unknownParameter(unknown), { field: unknown });
}

async function readSent(route: Route, c: AppRequest, context: AppContext): Promise<unknown> {
  if (route.body === undefined) return {};
  const { kind, optional } = route.body;
  if (optional && isEmpty(c)) return {};
  const text = await readBody(c, kind, context.bodyLimit);
  // Imported lazily: most servers never receive YAML, and loading the parser would slow down every start.
  const value = kind === 'json' ? parseJson(text) : (await import('./parse-yaml.js')).parseYaml(text);
  const unsupported = findUnsupported(value);
  if (unsupported !== undefined) throw new HttpProblem(422, unsupported.detail, { field: unsupported.field });
  return value;
}

function isEmpty(c: AppRequest): boolean {
  const length = c.req.header('content-length');
  if (length !== undefined || c.req.header('transfer-encoding') !== undefined) return length === '0';
  // On a socket, a request without these headers has no body (RFC 9112), even if the adapter made a stream for it.
  return c.env.incoming !== undefined || c.req.raw.body === null;
}

function parseJson(text: string): unknown {
  if (text.trim() === '') throw new HttpProblem(400, problemTexts.emptyJson);
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new HttpProblem(400, problemTexts.notJson, { cause });
  }
}
