import { isDeepStrictEqual } from 'node:util';
import { problemSchema } from '@countersign/protocol';
import type { z } from 'zod';
import { PROBLEM_TYPE } from '../app/to-problem.js';
import type { Answer, Route } from '../app/route.js';
import { routes } from '../routes/index.js';

const patterns = routes.map((route) => ({
  route,
  pattern: new RegExp(`^${route.path.replace(/\{\w+\}/g, '[^/]+')}$`),
}));

/** The route that matches a path under `/api`. */
function routeFor(method: string, path: string): Route | undefined {
  const [address = ''] = path.split('?');
  const fitting = patterns.filter(
    ({ route, pattern }) => route.method === method.toLowerCase() && pattern.test(address),
  );
  // Paths without parameters take precedence: `/worlds/import` is not a world id.
  return (fitting.find(({ route }) => route.path === address) ?? fitting[0])?.route;
}

/** Throws if a response doesn't match the API description: wrong status, type or shape, or extra fields. */
export function checkResponse(
  method: string,
  path: string,
  answer: { status: number; type: string; body: unknown },
): void {
  const { status, type, body } = answer;
  const prefix = `${method} ${path} answered ${status}`;
  if (status >= 400) {
    if (!type.startsWith(PROBLEM_TYPE)) throw new Error(`${prefix} with ${type}`);
    assertMatches(problemSchema, body, prefix);
    return;
  }
  const route = routeFor(method, path);
  if (route === undefined) return;
  const described = route.answers[status];
  if (described === undefined) throw new Error(`${prefix}, which is not documented`);
  const kinds: readonly Answer[] = Array.isArray(described) ? (described as readonly Answer[]) : [described as Answer];
  const [mime = ''] = type.split(';');
  const kind = kinds.find((each) => mime === (each.type ?? (each.schema === undefined ? '' : 'application/json')));
  if (kind === undefined) throw new Error(`${prefix} with ${type}`);
  // The schema of a stream describes one of its events.
  if (kind.schema !== undefined && mime !== 'text/event-stream') assertMatches(kind.schema, body, prefix);
}

function assertMatches(schema: z.ZodType, body: unknown, prefix: string): void {
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw new Error(`${prefix} with ${JSON.stringify(body)}: ${parsed.error.message}`);
  if (!isDeepStrictEqual(parsed.data, body))
    throw new Error(`${prefix} with undocumented fields: ${JSON.stringify(body)}`);
}
