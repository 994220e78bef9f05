import { channel } from 'node:diagnostics_channel';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Signer } from '@countersign/protocol';
import { Hono } from 'hono';
import { routes as allRoutes } from '../routes/index.js';
import { checkAccess, checkServerRead } from './check-access.js';
import { checkUrl } from './check-url.js';
import type { AppContext, AppRequest, Env } from './context.js';
import { describeApi } from './describe-api.js';
import { DOCS_STYLE, docsPage } from './docs-page.js';
import { HttpProblem } from './http-problem.js';
import { serveGateway } from '../gateway/serve-gateway.js';
import { isArriving } from './read-body.js';
import { readInput } from './read-input.js';
import { createRefusalLog } from './record-refusals.js';
import type { Reply, Route } from './route.js';
import { PROBLEM_TYPE, toProblem } from './to-problem.js';
import { serveWebApp } from './web-app.js';
import { problemTexts } from './problem-texts.js';

/** Everything under this path is the API; the rest is the web app. */
const API = '/api';

/** The HTTP API for an engine (HTTP2). Routes throw; the error boundary here turns errors into problem documents (HTTP1). The caller starts listening. */
export function createApp(context: AppContext, routes: readonly Route[] = allRoutes): Hono<Env> {
  const app = new Hono<Env>();
  const recordRefusal = createRefusalLog(context.engine.runtime, (error) => {
    if (!context.engine.closing.aborted)
      context.log.error('a refused request was not recorded', { error: String(error) });
  });
  const record = async (error: unknown, c: AppRequest): Promise<void> => {
    const { status, detail } = toProblem(error).problem;
    const { method } = c.req;
    // As it was sent: a decoded path could contain line breaks.
    const path = new URL(c.req.url).pathname;
    // Undefined before the credential is known, whatever its type says.
    const signer = c.get('signer') as Signer | undefined;
    await recordRefusal({ status, method, path, detail, signer, address: context.auth.addressOf(c) });
  };
  app.onError(async (error, c) => {
    await record(error, c);
    return refuse(error, c, context);
  });
  // Must be first, so that rejected URLs also get the security headers.
  app.use(context.auth.guard);
  app.use(checkUrl);

  // Lazy: building it takes 5 % of the startup time (LIMIT5).
  const description = once(() => describeApi(routes, { version: context.version, server: API }));
  const page = once(() => docsPage(description()));
  const open = routes.filter((route) => route.needs === 'no-credential');
  const closed = routes.filter((route) => route.needs !== 'no-credential');

  for (const route of open) register(app, route, context, record);
  // Public like the web app: the page reveals no data, and a browser that follows a link can't send a credential.
  app.get(`${API}/docs`, (c) => c.html(page()));
  app.get(`${API}/docs.css`, (c) => c.body(DOCS_STYLE, { headers: { 'Content-Type': 'text/css' } }));
  // Must precede routing, so that unauthenticated clients can't learn which routes or ids exist.
  app.use(`${API}/*`, context.auth.middleware);
  for (const route of closed) register(app, route, context, record);
  app.get(`${API}/openapi.json`, (c) => c.json(description()));
  refuseOtherMethods(app, routes);
  app.all(`${API}/*`, (c) => {
    throw new HttpProblem(404, problemTexts.notFound(c.req.path.slice(0, 200), `${API}/docs`));
  });

  const { metrics } = context;
  if (metrics !== undefined) {
    app.get('/metrics', context.auth.middleware, async (c) => {
      await checkServerRead(c, context);
      const { type, text } = await metrics.read(context.engine);
      return new Response(text, { headers: { 'Content-Type': type, 'Cache-Control': 'no-store' } });
    });
  }

  // A program that mounts the API has no tokens for external agents.
  if (context.mounted !== true) serveGateway(app, context, record);

  serveWebApp(app, context);
  return app;
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function honoPath({ path }: Pick<Route, 'path'>): string {
  return `${API}${path.replace(/\{(\w+)\}/g, ':$1')}`;
}

function register(
  app: Hono<Env>,
  route: Route,
  context: AppContext,
  record: (error: unknown, c: AppRequest) => Promise<void>,
): void {
  app.on(route.method.toUpperCase(), honoPath(route), async (c) => {
    // Before the body is read, unless the body decides what is needed.
    if (typeof route.needs !== 'function') await checkAccess(route, c, context, undefined);
    if (route.needs === 'propose') context.externalLimiter?.request(c);
    const isLate = route.body !== undefined && route.needs !== 'no-credential' && isArriving(c);
    const input = await readInput(route, c, context);
    if (isLate) await context.auth.middleware(c, async () => undefined);
    if (isLate || typeof route.needs === 'function') await checkAccess(route, c, context, input.body);
    const reply = await route.handle(input);
    // Compare by identity as well: this response was created before the adapter replaced the global Response class.
    if (reply === RESPONSE_ALREADY_SENT || reply instanceof Response) return reply;
    for (const error of reply.refusals ?? []) await record(error, c);
    return respond(reply);
  });
}

function respond({ status, body, headers = {} }: Reply): Response {
  if (body === undefined) return new Response(null, { status, headers });
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return new Response(text, { status, headers: { 'Content-Type': 'application/json', ...headers } });
}

/** Responds with 405 and the allowed methods for known paths. */
function refuseOtherMethods(app: Hono<Env>, routes: readonly Route[]): void {
  const paths = new Map<string, string[]>([
    [`${API}/openapi.json`, ['GET']],
    [`${API}/docs`, ['GET']],
  ]);
  for (const route of routes) {
    const path = honoPath(route);
    paths.set(path, [...(paths.get(path) ?? []), route.method.toUpperCase()]);
  }
  for (const [path, methods] of paths) {
    app.all(path, (c) => {
      const allowed = methods.join(', ');
      throw new HttpProblem(405, problemTexts.wrongMethod(c.req.method, allowed), {
        headers: { Allow: allowed },
      });
    });
  }
}

/** Bugs: errors that no code threw on purpose. The tests subscribe to it, and fail. */
const unexpectedErrors = channel('countersign:unexpected-error');

function refuse(error: Error, c: AppRequest, { log }: AppContext): Response {
  const { problem, headers } = toProblem(error);
  if (problem.status === 500) unexpectedErrors.publish({ method: c.req.method, path: c.req.path, error });
  if (problem.status >= 500) {
    log.error('request failed', {
      method: c.req.method,
      path: c.req.path,
      status: problem.status,
      error: String(error),
    });
  }
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: { ...headers, 'Content-Type': PROBLEM_TYPE },
  });
}
