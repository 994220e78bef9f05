import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { CountersignError, LEAVING_HEADER } from '@countersign/protocol';
import type { AppContext, Log } from '../app/context.js';
import { createApp } from '../app/create-app.js';
import { inBrackets, isLoopback } from '../auth/check-host.js';
import { readTrustedProxies } from '../auth/client-address.js';
import { createAuth, type AuthOptions } from '../auth/create-auth.js';
import { readPublicUrl } from '../auth/public-url.js';
import { readOwner } from '../home/home-owner.js';
import { createExternalLimiter } from '../people/external-limiter.js';
import { openHome, type Home, type HomeOptions } from '../home/open-home.js';
import { createPush } from '../push/push.js';
import { createSchedules } from '../schedules/send-due.js';
import type { PushRoute } from '../push/send-push.js';
import { createWebhooks } from '../webhooks/webhooks.js';
import { createOidcSignIn } from '../oidc/oidc-sign-in.js';
import { acceptTokenChannels } from './accept-token-channels.js';
import type { LocalAgents } from '../local-agents/local-agents.js';
import { guardLocalhost, type GuardedLocalhost } from './guard-localhost.js';
import { limitUnauthenticated, UNAUTHENTICATED_LIMITS, type UnauthenticatedLimits } from './limit-unauthenticated.js';
import { listenOn } from './listen-on.js';
import { listenTls, type TlsOptions } from './listen-tls.js';
import { announceServer, findServer } from './server-file.js';
import { problemTexts } from '../app/problem-texts.js';

export const DEFAULT_PORT = 4747;

export interface ServeOptions extends HomeOptions {
  /** 0 means any free port. */
  port?: number;
  /** Default: loopback. Other addresses accept connections from other machines. */
  host?: string;
  /** Also serves https, for other machines. Without `host`, plain http then stays on this machine. */
  tls?: TlsOptions;
  /** Additional host names, such as a reverse proxy's. */
  allowHosts?: readonly string[];
  /** The folder of the built web app. */
  webRoot?: string;
  localAgents?: LocalAgents;
  /** Limits for unauthenticated connections. */
  unauthenticated?: UnauthenticatedLimits;
  /** More push services, and the authority of their certificates. */
  push?: Pick<PushRoute, 'named' | 'ca'>;
  version: string;
}

export interface Serving {
  url: string;
  /** The URL for people (`COUNTERSIGN_PUBLIC_URL`). Default: `url`. */
  publicUrl: string;
  home: Home;
  /** A start link with a new ticket. It works once and expires after a minute. */
  newStartUrl(): string;
  /** Notifies streams, parks running turns and releases the home folder. */
  close(): Promise<void>;
}

/**
 * Starts a server on a home folder and resolves once it is listening. A second server on the same home folder fails with the URL of the first (STORE4).
 */
export async function serve(options: ServeOptions): Promise<Serving> {
  const {
    host = '127.0.0.1',
    tls,
    allowHosts = [],
    log,
    version,
    webRoot,
    unauthenticated = UNAUTHENTICATED_LIMITS,
  } = options;
  // Read before anything starts: a wrong setting must not leave a server behind.
  const clientAddress = readTrustedProxies(options.env['COUNTERSIGN_TRUSTED_PROXY']);
  const namedUrl = readPublicUrl(options.env['COUNTERSIGN_PUBLIC_URL']);
  const home = await openHome(options).catch((error: unknown) => reportRunningServer(error, options.home));
  const { engine, token } = home;
  let port = options.port ?? DEFAULT_PORT;
  const server = createServer({
    maxHeaderSize: 16 * 1024,
    headersTimeout: unauthenticated.headersMs,
    // How often Node checks for connections that exceed the timeout.
    connectionsCheckingInterval: unauthenticated.headersMs / 2,
    requestTimeout: Math.max(60_000, unauthenticated.headersMs),
  });
  const onAuthenticated = limitUnauthenticated(server, unauthenticated.most);
  const onProblem = (detail: string): void => log.error('the renewed certificate is not used', { error: detail });
  const secure =
    tls === undefined
      ? undefined
      : await listenTls(server, tls, { limits: unauthenticated, onProblem }).catch(async (error: unknown) => {
          await home.close();
          throw error;
        });
  const publicUrl = namedUrl ?? secure?.url;
  acceptTokenChannels(server, { token: token.value, store: engine.runtime.store, onProven: onAuthenticated });
  const auth = createAuth({
    token: token.value,
    tokenHolder: token.holder.kind === 'person' ? 'owner' : token.holder,
    clock: engine.runtime.clock,
    lifetimes: home.sessionLifetimes,
    port: () => port,
    host,
    allowHosts: publicUrl === undefined ? allowHosts : [...allowHosts, new URL(publicUrl).host],
    onAuthenticated,
    store: engine.runtime.store,
    publicUrl,
    ...cookieNameOf(home),
    clientAddress,
    report: (error, what) => log.error(what, { error }),
    ...oidcOf(home, (error, what) => log.warn(what, { error: String(error) })),
    clientLabel: async (secret, path) => {
      const world = /^\/api\/worlds\/([^/]+)/.exec(path)?.[1];
      return world === undefined ? undefined : (await engine.clients.find(world, secret))?.label;
    },
  });
  const senders = sendersOf(home, { publicUrl, log, push: options.push, ownUrl: () => `http://localhost:${port}` });
  const schedules = createSchedules({ runtime: engine.runtime, lifetimes: home.sessionLifetimes, log });
  const { push, webhooks } = senders;
  const starts = [() => push?.start(), () => webhooks?.start(), () => schedules.look()];
  const closes = [() => push?.close(), () => webhooks?.close(), () => schedules.close()];
  const answering = new Set<ServerResponse>();
  let isStopping = false;
  let localhost: GuardedLocalhost | undefined;
  try {
    const context = {
      engine,
      auth,
      log,
      version,
      metrics: home.metrics,
      providers: home.providers,
      runs: home.runs,
      ...senders,
      schedules,
      externalLimiter: createExternalLimiter(engine.runtime.clock, home.externalLimits),
      ...(publicUrl === undefined ? {} : { publicUrl }),
      checkFolder: home.workFolders.check,
      ownFolder: (worldId: string) => home.workFolders.pathOf(worldId),
      ...(options.localAgents === undefined ? {} : { localAgents: options.localAgents }),
    };
    const app = createApp(webRoot === undefined ? context : { ...context, webRoot });
    // Resume unfinished turns only after listening succeeds: a failed start must not run anything.
    const started = startWhen(once(server, 'listening'), home, starts);
    const answer = getRequestListener(app.fetch);
    server.on('request', (request, response) => {
      answering.add(response);
      response.once('close', () => answering.delete(response));
      if (isStopping) {
        rejectStopping(request, response);
        return;
      }
      // The caller reports a failed start. Without this handler, the unhandled rejection would crash the process first.
      started.then(() => answer(request, response)).catch(() => response.destroy());
    });
    port = await listenOn(server, port, host);
    localhost = await guardLocalhost(server, port, host);
    await started;
    secure?.open();
  } catch (error) {
    server.closeAllConnections();
    server.close();
    localhost?.close();
    secure?.close();
    for (const close of closes) close();
    await home.close();
    throw error;
  }
  const url = `http://${localhost === undefined ? shownHost(host) : 'localhost'}:${port}`;
  if (localhost === undefined && host === '127.0.0.1')
    log.warn('Another program listens on this port on [::1], so links use 127.0.0.1. Passkeys need localhost', {
      port,
    });
  const retract = announceServer(home.folder, url);
  log.info('listening', { url, home: home.folder, sandbox: home.sandbox.kind });
  if (!isLoopback(host))
    log.warn('Other machines can reach this server, and the connection is not encrypted. Use a TLS proxy', { host });
  let closed: Promise<void> | undefined;
  return {
    url,
    home,
    publicUrl: publicUrl ?? url,
    newStartUrl: () => `${publicUrl ?? url}/#ticket=${auth.newTicket()}`,
    close() {
      isStopping = true;
      localhost?.close();
      secure?.close();
      closed ??= shutDown(server, home, answering, closes).finally(retract);
      return closed;
    },
  };
}

function oidcOf(
  { engine: { runtime }, oidc: settings }: Home,
  report: (error: unknown, what: string) => void,
): Pick<AuthOptions, 'oidc'> {
  const { secretBox: box } = runtime.options;
  if (settings === undefined || box === undefined) return {};
  return { oidc: createOidcSignIn({ settings, runtime, box, report }) };
}

/** Whom operators of push services can ask about us, if the server has no public URL. */
const PROJECT = 'https://github.com/countersign/countersign';

type Senders = Pick<AppContext, 'push' | 'webhooks'>;

/** What tells people and other programs about calls. */
function sendersOf(
  { engine: { runtime }, pushServices, webhookHosts, tellAfter, sessionLifetimes: lifetimes }: Home,
  {
    publicUrl,
    ownUrl,
    log,
    push,
  }: {
    publicUrl: string | undefined;
    ownUrl: () => string;
    log: Log;
    push: ServeOptions['push'];
  },
): Senders {
  const { secretBox: box } = runtime.options;
  if (box === undefined) return {};
  const subject = publicUrl?.startsWith('https:') === true ? publicUrl : PROJECT;
  const named = [...pushServices, ...(push?.named ?? [])];
  return {
    push: createPush({ runtime, box, lifetimes, log, tellAfter, route: { subject, ...push, named } }),
    webhooks: createWebhooks({
      runtime,
      box,
      log,
      route: { named: webhookHosts },
      publicUrl: () => publicUrl ?? ownUrl(),
    }),
  };
}

/** The same cookie name in every process, so that each finds the browser's session. */
function cookieNameOf({ engine }: Home): Pick<AuthOptions, 'cookieName'> {
  const { shared, hashKey } = engine.runtime.store;
  if (shared === undefined) return {};
  return { cookieName: createHash('sha256').update('cookie').update(hashKey).digest('hex').slice(0, 12) };
}

function startWhen(listening: Promise<unknown>, home: Home, others: readonly (() => void)[]): Promise<void> {
  const started = listening.then(() => home.start()).then(() => others.forEach((start) => start()));
  // The caller reports the error; this only prevents an unhandled rejection.
  started.catch(() => undefined);
  return started;
}

/** How long to keep accepting requests that are already in flight. */
const IN_FLIGHT_MS = 50;

/** How long responses in progress may take after everything else has ended. */
const LAST_RESPONSES_MS = 500;

async function shutDown(
  server: Server,
  home: Home,
  answering: ReadonlySet<ServerResponse>,
  others: readonly (() => void)[],
): Promise<void> {
  const closed = once(server, 'close');
  // Reject requests in flight with 503: if the connection is dropped, the client can't know that it is safe to retry.
  await waitTurns(IN_FLIGHT_MS);
  server.close();
  server.closeIdleConnections();
  // Answer accepted requests before the store closes. Streams have already sent their headers.
  await waitTurns(LAST_RESPONSES_MS, () => [...answering].every(({ headersSent }) => headersSent));
  for (const close of others) close();
  // Ends the streams with a notice and parks the turns.
  await home.close();
  server.closeIdleConnections();
  await Promise.race([closed, after(LAST_RESPONSES_MS, undefined, { ref: false })]);
  server.closeAllConnections();
}

const TURN_MS = 25;

/** Waits for a number of event loop turns instead of a duration: on a busy machine the time could pass before any request is read. */
async function waitTurns(ms: number, isEnough: () => boolean = () => false): Promise<void> {
  for (let looks = 0; looks < ms / TURN_MS && !isEnough(); looks += 1) await after(TURN_MS);
}

/**
 * Rejects a request before processing it, so that the client can retry elsewhere. Reads it to the end first: closing the connection earlier
 * would lose the response.
 */
function rejectStopping(request: IncomingMessage, response: ServerResponse): void {
  request.resume().once('end', () => {
    response.writeHead(503, {
      'Content-Type': 'application/problem+json',
      Connection: 'close',
      [LEAVING_HEADER]: 'true',
    });
    const detail = problemTexts.stopping;
    response.end(JSON.stringify({ type: 'about:blank', title: 'Service Unavailable', status: 503, detail }));
  });
}

/** A host that a browser can open, unlike 0.0.0.0. */
function shownHost(host: string): string {
  return host === '0.0.0.0' || host === '::' ? '127.0.0.1' : inBrackets(host);
}

/** How long another server may take from locking the home folder to announcing its URL. */
const FIRST_SERVER_MS = 3_000;

async function reportRunningServer(error: unknown, folder: string): Promise<never> {
  if (!(error instanceof CountersignError) || error.code !== 'store-locked') throw error;
  for (const end = Date.now() + FIRST_SERVER_MS; Date.now() < end; await after(50)) {
    const first = await findServer(folder);
    if (first === undefined) continue;
    const detail =
      first.startedBy === 'serve'
        ? `A server is already running for this home folder: ${first.url} (pid ${first.pid}). Open that URL, stop the server, or choose another home with --home.`
        : `"${readOwner(folder)?.command}" (pid ${first.pid}) is serving this home folder at ${first.url}. Quit it and try again, or choose another home with --home.`;
    throw new CountersignError('store-locked', detail, { cause: error });
  }
  throw error;
}
