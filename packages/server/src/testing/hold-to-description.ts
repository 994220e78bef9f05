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

/** The route that a request to a path under `/api` goes to. */
function routeFor(method: string, path: string): Route | undefined {
  const [address = ''] = path.split('?');
  const fitting = patterns.filter(
    ({ route, pattern }) => route.method === method.toLowerCase() && pattern.test(address),
  );
  // A path without parameters goes first: `/worlds/import` is no world.
  return (fitting.find(({ route }) => route.path === address) ?? fitting[0])?.route;
}

/** Throws when an answer is not what the description says: another status, another shape, or more than it tells. */
export function holdToDescription(
  method: string,
  path: string,
  answer: { status: number; type: string; body: unknown },
): void {
  const { status, type, body } = answer;
  const told = `${method} ${path} answered ${status}`;
  if (status >= 400) {
    if (!type.startsWith(PROBLEM_TYPE)) throw new Error(`${told} with ${type}`);
    hold(problemSchema, body, told);
    return;
  }
  const route = routeFor(method, path);
  if (route === undefined) return;
  const described = route.answers[status];
  if (described === undefined) throw new Error(`${told}, which is not described`);
  const kinds: readonly Answer[] = Array.isArray(described) ? (described as readonly Answer[]) : [described as Answer];
  const [mime = ''] = type.split(';');
  const kind = kinds.find((each) => mime === (each.type ?? (each.schema === undefined ? '' : 'application/json')));
  if (kind === undefined) throw new Error(`${told} with ${type}`);
  if (kind.schema !== undefined) hold(kind.schema, body, told);
}

function hold(schema: z.ZodType, body: unknown, told: string): void {
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw new Error(`${told} with ${JSON.stringify(body)}: ${parsed.error.message}`);
  if (!isDeepStrictEqual(parsed.data, body))
    throw new Error(`${told} with more than it tells: ${JSON.stringify(body)}`);
}
