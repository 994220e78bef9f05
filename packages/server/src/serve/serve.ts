import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { CountersignError, LEAVING_HEADER } from '@countersign/protocol';
import { createApp } from '../app/create-app.js';
import { inBrackets, isLoopback } from '../auth/check-host.js';
import { createAuth, type AuthOptions } from '../auth/create-auth.js';
import { readOwner } from '../home/home-owner.js';
import { openHome, type Home, type HomeOptions } from '../home/open-home.js';
import { limitStrangers, STRANGER_LIMITS, type StrangerLimits } from './limit-strangers.js';
import { listenOn } from './listen-on.js';
import { announceServer, findServer } from './server-file.js';
import { problemTexts } from '../app/problem-texts.js';

export const DEFAULT_PORT = 4747;
/** What a person starts to have a server that stays. */
export const SERVE = 'countersign serve';

export interface ServeOptions extends HomeOptions {
  /** 0 for any free one. */
  port?: number;
  /** Default: loopback. Anything else lets other machines in. */
  host?: string;
  /** Further names this server is reached by, such as that of a proxy in front of it. */
  allowHosts?: readonly string[];
  /** The folder of the built web app. */
  webRoot?: string;
  /** For connections that have shown no credential yet. */
  strangers?: StrangerLimits;
  version: string;
}

export interface Serving {
  url: string;
  home: Home;
  /** A start link with a fresh ticket: good once, for a minute. */
  newStartUrl(): string;
  /** Tells the streams, parks what runs, lets go of the home. */
  close(): Promise<void>;
}

/** Starts a server on a home and resolves when it listens. One home has one server (S4): a second is told where the first is. */
export async function serve(options: ServeOptions): Promise<Serving> {
  const { host = '127.0.0.1', allowHosts = [], log, version, webRoot, strangers = STRANGER_LIMITS } = options;
  const home = await openHome(options).catch((error: unknown) => sayWhoRuns(error, options.home));
  const { engine, token, sessions } = home;
  let port = options.port ?? DEFAULT_PORT;
  const server = createServer({
    maxHeaderSize: 16 * 1024,
    headersTimeout: strangers.headersMs,
    // Node looks for overdue connections only this often.
    connectionsCheckingInterval: strangers.headersMs / 2,
    requestTimeout: Math.max(60_000, strangers.headersMs),
  });
  const auth = createAuth({
    token: token.value,
    tokenHolder: token.holder,
    clock: engine.runtime.clock,
    port: () => port,
    host,
    allowHosts,
    onAuthenticated: limitStrangers(server, strangers.most),
    ...(sessions === undefined ? {} : { sessions }),
    ...sharedAuth(home, (error, what) => log.error(what, { error })),
    clientLabel: async (secret, path) => {
      const world = /^\/api\/worlds\/([^/]+)/.exec(path)?.[1];
      return world === undefined ? undefined : (await engine.clients.find(world, secret))?.label;
    },
  });
  const answering = new Set<ServerResponse>();
  let isLeaving = false;
  try {
    const context = {
      engine,
      auth,
      log,
      version,
      metrics: home.metrics,
      providers: () => home.providers(),
      checkWorkingDirectory: (folder: string) => void home.workFolders.check(folder),
    };
    const app = createApp(webRoot === undefined ? context : { ...context, webRoot });
    // Listening first: with a port that is taken, nothing that was left unfinished must begin to run.
    const started = startWhen(once(server, 'listening'), home);
    const answer = getRequestListener(app.fetch);
    server.on('request', (request, response) => {
      answering.add(response);
      response.once('close', () => answering.delete(response));
      if (isLeaving) {
        refuseLeaving(request, response);
        return;
      }
      // A start that fails is told by who waits for it: unheard here, it would end the process without a word of ours.
      started.then(() => answer(request, response)).catch(() => response.destroy());
    });
    port = await listenOn(server, port, host);
    await started;
  } catch (error) {
    server.closeAllConnections();
    server.close();
    await home.close();
    throw error;
  }
  const url = `http://${shownHost(host)}:${port}`;
  const retract = announceServer(home.folder, url);
  log.info('listening', { url, home: home.folder, sandbox: home.sandbox.kind });
  if (!isLoopback(host)) log.warn('other machines can reach this server; what they send is not encrypted', { host });
  let closed: Promise<void> | undefined;
  return {
    url,
    home,
    newStartUrl: () => `${url}/#ticket=${auth.newTicket()}`,
    close() {
      isLeaving = true;
      closed ??= shutDown(server, home, answering).finally(retract);
      return closed;
    },
  };
}

/** The same name on every process: a browser's cookie must be found wherever its next request goes. */
function sharedAuth({ engine }: Home, report: (error: unknown, what: string) => void): Pick<AuthOptions, 'shared'> {
  const { shared, hashKey } = engine.runtime.store;
  if (shared === undefined) return {};
  const name = createHash('sha256').update('cookie').update(hashKey).digest('hex').slice(0, 12);
  return { shared: { passes: shared.passes, name, report } };
}

function startWhen(listening: Promise<unknown>, home: Home): Promise<void> {
  const started = listening.then(() => home.start());
  // Told by who waits for it; here it only must not go unheard.
  started.catch(() => undefined);
  return started;
}

/** How long a request may take from a client on the same machine to us. */
const ON_ITS_WAY_MS = 50;

/** How long answers that are under way may take when everything else has ended. */
const LAST_ANSWERS_MS = 500;

async function shutDown(server: Server, home: Home, answering: ReadonlySet<ServerResponse>): Promise<void> {
  const closed = once(server, 'close');
  // What is on its way is told that nobody looks at it any more: cut off, whoever sent it could not know that it may be sent again.
  await turnRound(ON_ITS_WAY_MS);
  server.close();
  server.closeIdleConnections();
  // What was taken in is answered before the store is closed under it. A stream has sent its head long since.
  await turnRound(LAST_ANSWERS_MS, () => [...answering].every(({ headersSent }) => headersSent));
  // Streams are told and end with this; turns are parked.
  await home.close();
  server.closeIdleConnections();
  await Promise.race([closed, after(LAST_ANSWERS_MS, undefined, { ref: false })]);
  server.closeAllConnections();
}

const TURN_MS = 25;

/**
 * Waits for as many looks at what has come as fit into the time, or until that is enough. Not for the time itself: on a machine that is
 * busy elsewhere it may pass without one look, and who was on the way would be cut off all the same.
 */
async function turnRound(ms: number, isEnough: () => boolean = () => false): Promise<void> {
  for (let looks = 0; looks < ms / TURN_MS && !isEnough(); looks += 1) await after(TURN_MS);
}

/**
 * Said before anything is looked at, so that whoever asked can ask the next server, whatever it was. They are heard out first: a way that
 * is closed while they speak takes the answer with it.
 */
function refuseLeaving(request: IncomingMessage, response: ServerResponse): void {
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

/** An address that can be opened: one that means every address can't. */
function shownHost(host: string): string {
  return host === '0.0.0.0' || host === '::' ? '127.0.0.1' : inBrackets(host);
}

/** How long the first server may take from its lock to its address. */
const FIRST_SERVER_MS = 3_000;

async function sayWhoRuns(error: unknown, folder: string): Promise<never> {
  if (!(error instanceof CountersignError) || error.code !== 'store-locked') throw error;
  for (const end = Date.now() + FIRST_SERVER_MS; Date.now() < end; await after(50)) {
    const first = await findServer(folder);
    if (first === undefined) continue;
    const command = readOwner(folder)?.command;
    const detail =
      command === undefined || command === SERVE
        ? `A server already runs on this home: ${first.url} (pid ${first.pid}). Open that, stop it, or choose another home with --home.`
        : `"${command}" (pid ${first.pid}) serves this home at ${first.url} until it ends. Quit it and try again, or choose another home with --home.`;
    throw new CountersignError('store-locked', detail, { cause: error });
  }
  throw error;
}
