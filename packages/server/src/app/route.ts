import type { Action } from '@countersign/protocol';
import type { z } from 'zod';
import type { AppContext, AppRequest } from './context.js';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** `/worlds/{world}` → `{ world: string }`. */
type ParamsOf<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? Readonly<Record<Name, string>> & ParamsOf<Rest>
  : unknown;

/** The return value of a route. Streams return their own `Response`. */
export interface Reply {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
  /** Errors of parts of the request, to record like those of a whole one (LOG1.8). */
  refusals?: readonly unknown[];
}

/** A request whose parts match the route's schemas. */
export interface RouteInput<Params, Query, Body> {
  params: Params;
  query: Query;
  body: Body;
  /** The body as it was sent, before defaults. `{}` if there was none. */
  sent: unknown;
  c: AppRequest;
  context: AppContext;
}

/** The shape of a response, for the API description and tests. Without a schema, it has no body, or one that isn't JSON. */
export interface Answer {
  description: string;
  schema?: z.ZodType;
  /** Default: `application/json` if there is a schema. */
  type?: string;
}

/**
 * Where a route is served besides our own server (LIB5): `approvals` in every mounted API, `world` in those that serve the whole API, `web-app`
 * only together with the web app, and `own-server` nowhere else.
 */
export type RouteScope = 'approvals' | 'world' | 'web-app' | 'own-server';

/**
 * `no-credential`: works without a credential. `account`: any session, or a token with `read`. `read` on the server: the person may read something. A function
 * decides by the body. Of several, all are needed. `propose` is all that the token of an external agent has (EXT1).
 */
type Needs =
  | Action
  | readonly Action[]
  | 'propose'
  | 'account'
  | 'no-credential'
  | ((body: unknown) => readonly Action[]);

interface RouteFacts {
  readonly method: Method;
  readonly path: string;
  readonly scope: RouteScope;
  /** Heading in the docs. */
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** What the credential must be allowed to do (WHO4.2): in the world that the path names, or else on the server. */
  readonly needs: Needs;
  /** Request headers that the route uses, besides the credential. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly answers: Readonly<Record<number, Answer | readonly Answer[]>>;
}

/** One route of the API. The same schemas validate the input, type the handler and document it. */
export interface Route extends RouteFacts {
  /** The parameter names in its path, in order. */
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
  /** Encoding of the body. Default: JSON. */
  readonly bodyKind?: 'json' | 'yaml';
  /** Picks the schema of a body that has several possible shapes, so that errors name the intended one. */
  readonly bodyFor?: (value: unknown) => z.ZodType<Body>;
  /** Set if an empty body is treated as `{}`. */
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
    // Safe: `readInput` passes only values that the schemas above have parsed.
    handle: (input) => handle(input as RouteInput<ParamsOf<P>, Query, Body>),
  };
}

function paramNames(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
}
