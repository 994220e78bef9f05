import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { HttpBindings } from '@hono/node-server';
import type { Engine } from '@countersign/core';
import { CountersignError, refuseUnknownKeys } from '@countersign/protocol';
import { Hono } from 'hono';
import type { Auth, Env, Log } from '../app/context.js';
import { createApp } from '../app/create-app.js';
import { HttpProblem } from '../app/http-problem.js';
import { problemTexts } from '../app/problem-texts.js';
import type { RouteScope } from '../app/route.js';
import { PROBLEM_TYPE, toProblem } from '../app/to-problem.js';
import type { Authorize } from '../auth/authorize.js';
import { createAuth, type AuthOptions } from '../auth/create-auth.js';
import { PROGRAM_TOKEN } from '../auth/holders.js';
import { createMountedAuth } from '../auth/mounted-auth.js';
import { checkOidcOptions, type OidcOptions } from '../oidc/oidc-settings.js';
import { createOidcSignIn } from '../oidc/oidc-sign-in.js';
import { createFixedRegistry } from '../providers/fixed-registry.js';
import { routes } from '../routes/index.js';

/** Options for serving the API from a program. */
export interface MountOptions {
  /**
   * Returns the name of the person who sent a request, which is recorded in the audit log, or undefined to reject it (401). Also gets Node's
   * request, with anything that your own middleware has added to it.
   */
  authorize?: Authorize;
  /** A bearer token of at least 32 characters, for programs. Used instead of `authorize`, or in addition to it. */
  token?: string;
  /**
   * Also serves the web app, at the root of this URL, such as `https://agents.example.com`. It signs browsers in with start links, so it
   * requires a `token` and excludes `authorize`.
   */
  webApp?: string;
  /**
   * Sign-in to the web app with an OIDC provider. Requires `webApp`, and the `secretsKey` of `openCountersign`, which encrypts refresh tokens.
   * Register `{webApp}/oidc/callback` with the provider.
   */
  oidc?: OidcOptions;
  /** `approvals` serves only the routes that list, show, decide and stream approvals and grants. Default: the whole API. */
  only?: 'approvals';
  /** The path where the API is mounted, such as `/countersign`, for servers that don't remove it from the URL (Fastify). Other paths get 404. */
  path?: string;
  /** Origins of other sites whose pages may send requests, such as `https://app.example.com`. Default: none. */
  origins?: readonly string[];
  /** Called for server errors. Default: standard error. */
  onError?: (error: unknown, what: string) => void;
}

/** The API as request handlers. Its routes start with `/api`, below the path where it is mounted. */
export interface MountedApi {
  /** For Hono (`app.mount(path, api.fetch)`) and other servers with fetch handlers. Event streams need Hono on Node. */
  fetch(request: Request, env?: unknown): Promise<Response>;
  /** For Express (`app.use(path, api.node)`), Fastify and `node:http`. */
  node(request: IncomingMessage, response: ServerResponse): void;
  /** A single-use start link for a browser. It expires after a minute. Throws without `webApp`. */
  newStartUrl(): string;
}

/** Details of the installation, from the package that mounts the API. */
interface Installed {
  version: string;
  /** The folder of the built web app. */
  webRoot: string;
}

const KEYS: Record<keyof MountOptions, true> = {
  authorize: true,
  token: true,
  webApp: true,
  oidc: true,
  only: true,
  path: true,
  origins: true,
  onError: true,
};
const SHORTEST_TOKEN = 32;

/**
 * An engine's HTTP API, for a server that the program runs itself. Throws unless there is a token or an `authorize` function: an API without
 * authentication could approve anything.
 */
export function mountApi(engine: Engine, options: MountOptions, installed: Installed): MountedApi {
  checkOptions(options);
  const { path = '', webApp } = options;
  const auth = authOf(engine, options);
  const { version, webRoot } = installed;
  const scopes = scopesOf(options);
  const context = { engine, auth, version, log: logTo(options.onError), mounted: true } as const;
  const app = createApp(
    webApp === undefined ? context : { ...context, webRoot, providers: createFixedRegistry(engine) },
    routes.filter(({ scope }) => scopes.includes(scope)),
  );
  const inside = async (request: Request, env: unknown): Promise<Response> =>
    await app.fetch(request, isBindings(env) ? env : {});
  const below = path === '' ? app : new Hono<Env>().mount(path, inside);
  const fetchApi = async (request: Request, env: Partial<HttpBindings>): Promise<Response> => {
    const { pathname } = new URL(request.url);
    return isInside(pathname, path) ? await below.fetch(request, env) : outside(pathname, path);
  };
  // Without this option, the adapter would replace the program's global Request and Response.
  const listener = getRequestListener((request, env) => fetchApi(request, isBindings(env) ? env : {}), {
    overrideGlobalObjects: false,
  });
  return {
    fetch: async (request, env) => await fetchApi(request, isBindings(env) ? env : {}),
    node(request, response) {
      keepParsedBody(request);
      void listener(request, response);
    },
    newStartUrl() {
      if (webApp === undefined)
        throw new CountersignError('invalid', 'newStartUrl: mount with webApp to use start links');
      return `${new URL(webApp).origin}/#ticket=${auth.newTicket()}`;
    },
  };
}

/** The web app signs browsers in itself; otherwise, the program says who sent a request. */
function authOf({ runtime }: Engine, options: MountOptions): Auth {
  const { clock, store } = runtime;
  const report = (error: unknown, what: string): void => runtime.report(error, what);
  const { authorize, token, webApp, origins = [] } = options;
  if (webApp !== undefined && token !== undefined) {
    const { host, port, protocol } = new URL(webApp);
    const at = port === '' ? { 'http:': 80, 'https:': 443 }[protocol] : Number(port);
    const serverToken = { token, tokenHolder: PROGRAM_TOKEN };
    return createAuth({
      ...serverToken,
      ...oidcOf(runtime, options, report),
      store,
      report,
      clock,
      host: '127.0.0.1',
      allowHosts: [host],
      port: () => at ?? 0,
    });
  }
  return createMountedAuth({
    origins,
    clock,
    ...(authorize === undefined ? {} : { authorize }),
    ...(token === undefined ? {} : { token }),
  });
}

function oidcOf(
  runtime: Engine['runtime'],
  { oidc }: MountOptions,
  report: (error: unknown, what: string) => void,
): Pick<AuthOptions, 'oidc'> {
  if (oidc === undefined) return {};
  const { secretBox: box } = runtime.options;
  const settings = checkOidcOptions(oidc);
  if (box === undefined)
    throw wrong('oidc', 'needs the option secretsKey of openCountersign, to encrypt refresh tokens');
  return { oidc: createOidcSignIn({ settings, runtime, box, report }) };
}

/** Without the web app, a program has its own sign-in. It configures its providers in code, so they can't be changed here. */
function scopesOf({ only, webApp }: MountOptions): readonly RouteScope[] {
  if (only === 'approvals') return ['approvals'];
  return webApp === undefined ? ['approvals', 'world'] : ['approvals', 'world', 'web-app'];
}

/** A body parser, such as `express.json()`, may have already read the body. */
function keepParsedBody(request: IncomingMessage & { body?: unknown; rawBody?: unknown }): void {
  if (!request.readableEnded || request.body === undefined || request.rawBody !== undefined) return;
  const { body } = request;
  request.rawBody = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

function outside(pathname: string, path: string): Response {
  const detail = problemTexts.notFound(pathname.slice(0, 200), `${path}/api/docs`);
  const { problem } = toProblem(new HttpProblem(404, detail));
  return Response.json(problem, { status: 404, headers: { 'Content-Type': PROBLEM_TYPE } });
}

function isInside(pathname: string, path: string): boolean {
  return pathname === path || pathname.startsWith(`${path}/`);
}

function isBindings(env: unknown): env is Partial<HttpBindings> {
  return typeof env === 'object' && env !== null;
}

function logTo(onError: MountOptions['onError']): Log {
  const print = (error: unknown, what: string): void =>
    void process.stderr.write(`countersign: ${what}: ${String(error)}\n`);
  const tell = onError ?? print;
  return {
    info: () => undefined,
    warn: (message, fields) => tell(fields, message),
    error: (message, fields) => tell(fields?.['error'] ?? fields, message),
  };
}

function wrong(field: string, must: string): CountersignError {
  return new CountersignError('invalid', `${field}: ${must}`, { field });
}

function checkWebApp({ webApp, token, authorize, only, path, origins }: MountOptions): void {
  if (typeof webApp !== 'string' || !URL.canParse(webApp) || !/^https?:\/\/[^/]+\/?$/.test(webApp)) {
    throw wrong(
      'webApp',
      'must be the URL at which people open it, without a path, such as "https://agents.example.com"',
    );
  }
  if (token === undefined) throw wrong('token', 'is missing. The web app needs one for its start links');
  const others = { authorize, only, path, origins };
  const unusable = Object.entries(others).find(([, value]) => value !== undefined)?.[0];
  if (unusable !== undefined) throw wrong(unusable, "can't be used together with webApp");
}

function checkOptions(options: MountOptions): void {
  refuseUnknownKeys(options, KEYS, 'mount');
  const { authorize, token, webApp, only, path, origins } = options;
  if (webApp !== undefined) checkWebApp(options);
  else if (options.oidc !== undefined) throw wrong('oidc', 'signs people in to the web app, so it needs webApp');
  if (authorize === undefined && token === undefined) {
    throw wrong('authorize', 'is missing. Without it or a token, anyone could approve calls');
  }
  if (authorize !== undefined && typeof authorize !== 'function') throw wrong('authorize', 'must be a function');
  if (token !== undefined && (typeof token !== 'string' || token.length < SHORTEST_TOKEN)) {
    throw wrong('token', `must have at least ${SHORTEST_TOKEN} characters`);
  }
  if (only !== undefined && only !== 'approvals') throw wrong('only', 'must be "approvals"');
  if (path !== undefined && !/^(?:\/[\w.~-]+)+$/.test(path)) {
    throw wrong('path', 'must begin with / and must not end with one, such as "/countersign"');
  }
  const isOrigin = (origin: unknown): boolean =>
    typeof origin === 'string' && URL.canParse(origin) && new URL(origin).origin === origin;
  if (origins !== undefined && !(Array.isArray(origins) && origins.every(isOrigin))) {
    throw wrong('origins', 'must be a list of origins, such as "https://app.example.com"');
  }
}
