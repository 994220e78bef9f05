import type { z } from 'zod';
import type { AppContext, AppRequest } from './context.js';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** `/worlds/{world}` → `{ world: string }`. */
type ParamsOf<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? Readonly<Record<Name, string>> & ParamsOf<Rest>
  : unknown;

/** What a route answers with. A stream answers with a `Response` of its own. */
export interface Reply {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** A request whose parts fit the route's schemas. */
export interface RouteInput<Params, Query, Body> {
  params: Params;
  query: Query;
  body: Body;
  c: AppRequest;
  context: AppContext;
}

/** What an answer looks like, for the description and for tests. No schema: it has no body, or one of another kind. */
export interface Answer {
  description: string;
  schema?: z.ZodType;
  /** Default: `application/json` where there is a schema. */
  type?: string;
}

interface RouteFacts {
  readonly method: Method;
  readonly path: string;
  /** Under which heading it is documented. */
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Needs no credential. */
  readonly open?: true;
  /** Headers that count, beside the credential. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly answers: Readonly<Record<number, Answer | readonly Answer[]>>;
}

/** One line of the API: the same schemas check what comes in, type the handler and document it. */
export interface Route extends RouteFacts {
  /** The names in its path, in order. */
  readonly params: readonly string[];
  readonly query?: z.ZodType;
  readonly body?: {
    readonly schema: z.ZodType;
    readonly kind: 'json' | 'yaml';
    readonly optional: boolean;
    schemaFor(value: unknown): z.ZodType;
  };
  handle(input: RouteInput<unknown, unknown, unknown>): Promise<Reply | Response>;
}

interface RouteSpec<P extends string, Query, Body> extends RouteFacts {
  readonly path: P;
  readonly query?: z.ZodType<Query>;
  readonly body?: z.ZodType<Body>;
  /** How the body is written. Default: JSON. */
  readonly bodyKind?: 'json' | 'yaml';
  /** Of several shapes that a body may have, the one that this was meant to be. */
  readonly bodyFor?: (value: unknown) => z.ZodType<Body>;
  /** Nothing sent counts as `{}`. */
  readonly bodyOptional?: true;
  readonly handle: (input: RouteInput<ParamsOf<P>, Query, Body>) => Promise<Reply | Response>;
}

export function route<const P extends string, Query, Body>(spec: RouteSpec<P, Query, Body>): Route {
  const { body, bodyKind = 'json', bodyOptional = false, bodyFor, handle, ...facts } = spec;
  return {
    ...facts,
    params: paramNames(spec.path),
    ...(body === undefined
      ? {}
      : { body: { schema: body, kind: bodyKind, optional: bodyOptional, schemaFor: bodyFor ?? (() => body) } }),
    // `readInput` gives a handler nothing but what the schemas above gave it.
    handle: (input) => handle(input as RouteInput<ParamsOf<P>, Query, Body>),
  };
}

function paramNames(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
}
