import type { Socket } from 'node:net';
import type { Clock, SharedPasses } from '@countersign/core/ports';
import { CLIENT_HEADER, SESSION_HEADER, TERMINAL_AGENT, type Signer, type Who } from '@countersign/protocol';
import { getCookie } from 'hono/cookie';
import type { AppRequest, Auth } from '../app/context.js';
import { HttpProblem } from '../app/http-problem.js';
import { createHostCheck, type HostOptions } from './check-host.js';
import { deviceOf } from './device-of.js';
import { createFailedAttempts, type FailedAttempts } from './failed-attempts.js';
import { ownerOf, PROGRAM_TOKEN } from './holders.js';
import { hashSecret, isSecret } from './secrets.js';
import { SECURITY_HEADERS } from './security-headers.js';
import { createSessions, SESSION_LIFETIME_MS, type SessionKeeper } from './sessions.js';
import { createSharedSessions, createSharedTickets } from './shared-passes.js';
import { createTickets, TICKET_MS } from './tickets.js';
import { problemTexts } from '../app/problem-texts.js';

export interface AuthOptions extends HostOptions {
  /** The bearer token, at least 32 characters. Only its hash is stored here. */
  token: string;
  /** Who signs with the token (A16). */
  tokenHolder?: Who;
  clock: Pick<Clock, 'now'>;
  /** Persists sessions across restarts. If absent, sessions end with the process. */
  sessions?: SessionKeeper;
  /** For processes that share a database: tickets and sessions are valid in all of them. `name` is the same in each. */
  shared?: { passes: SharedPasses; name: string; report: (error: unknown, what: string) => void };
  /** The label of the client with this secret (`X-Countersign-Client`), in the world that the path names. */
  clientLabel?: (secret: string, path: string) => Promise<string | undefined>;
  /** Called for each connection whose request had a valid credential. */
  onAuthenticated?: (socket: Socket) => void;
}

/** Authentication (W1). */
export function createAuth(options: AuthOptions): Auth {
  const { clock, tokenHolder = PROGRAM_TOKEN } = options;
  const owner = ownerOf();
  const tokenHash = hashSecret(options.token);
  const checkHost = createHostCheck(options);
  const { shared } = options;
  const tickets = shared === undefined ? createTickets(clock) : createSharedTickets(shared.passes, shared.report);
  const sessions =
    shared === undefined
      ? createSessions(clock, options.sessions)
      : createSharedSessions(shared.passes, () => clock.now());
  const attempts = createFailedAttempts(clock);
  // Cookies ignore the port. The name includes it; otherwise, two servers on one host would overwrite each other's session.
  const cookieName = (): string => `countersign_${shared?.name ?? options.port()}`;

  function checkSource(c: AppRequest): void {
    const host = c.req.header('host') ?? '';
    if (checkHost(host, 80) === undefined) {
      throw new HttpProblem(403, problemTexts.unknownHost(host.slice(0, 200)));
    }
    const origin = c.req.header('origin');
    if (origin !== undefined && !isOurOrigin(origin)) {
      throw new HttpProblem(403, problemTexts.otherSite);
    }
    // Browsers treat another port of this host as the same site; we don't.
    const site = c.req.header('sec-fetch-site');
    if (isApi(c.req.path) && (site === 'cross-site' || site === 'same-site')) {
      throw new HttpProblem(403, problemTexts.otherSite);
    }
  }

  function isOurOrigin(origin: string): boolean {
    if (!URL.canParse(origin)) return false;
    const { protocol, host } = new URL(origin);
    const verdict = protocol === 'https:' ? checkHost(host, 443) : checkHost(host, 80);
    return protocol === 'https:' ? verdict === 'allowed' : protocol === 'http:' && verdict !== undefined;
  }

  /** Throws if the credential is missing or wrong. `session`: its id, if it is a browser session. */
  async function checkCredential(c: AppRequest): Promise<Signer & { session?: string }> {
    const authorization = c.req.header('authorization');
    if (authorization !== undefined) {
      const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
      // Compare before rate limiting: a token is too long to guess, and failed attempts by others must not lock its owner out.
      if (token !== undefined && isSecret(token, tokenHash)) {
        return { who: tokenHolder, via: await clientOf(c) };
      }
      throw wrongCredential(attempts, c, problemTexts.wrongToken);
    }
    const cookie = getCookie(c, cookieName());
    const header = c.req.header(SESSION_HEADER);
    if (cookie === undefined && header === undefined) {
      throw unauthorized(problemTexts.noCredential);
    }
    const session = cookie === undefined || header === undefined ? undefined : await sessions.find(cookie, header);
    if (session !== undefined) {
      return { who: owner, via: deviceOf(c.req.header('user-agent')), session: session.id };
    }
    throw wrongCredential(attempts, c, problemTexts.unknownSession);
  }

  /** The program that sends the token: a registered client, our own terminal, or any other. */
  async function clientOf(c: AppRequest): Promise<string> {
    const secret = c.req.header(CLIENT_HEADER);
    const label = secret === undefined ? undefined : await options.clientLabel?.(secret, c.req.path);
    return label ?? (c.req.header('user-agent') === TERMINAL_AGENT ? 'terminal' : 'http');
  }

  return {
    async guard(c, next) {
      const setLater = setHeaders(c);
      checkSource(c);
      await next();
      setLater();
    },
    async middleware(c, next) {
      const { session = 'token', ...signer } = await checkCredential(c);
      c.set('signer', signer);
      c.set('holder', session);
      const socket = c.env.incoming?.socket;
      if (socket !== undefined) options.onAuthenticated?.(socket);
      await next();
    },
    newTicket: () => tickets.make().ticket,
    async newTicketFor(c) {
      // The middleware has authenticated the request; without this header, it used a session.
      if (c.req.header('authorization') === undefined) {
        throw new HttpProblem(403, problemTexts.needsToken);
      }
      const expiresAt = clock.now() + TICKET_MS;
      const { ticket, stored } = tickets.make();
      await stored;
      return { ticket, expiresAt };
    },
    async redeem(ticket, request) {
      refuseTooMany(attempts, request);
      if (!(await tickets.take(ticket))) {
        attempts.failed(addressOf(request));
        return undefined;
      }
      const { cookie, header } = await sessions.open();
      const secure = request.req.header('origin')?.startsWith('https:') === true ? '; Secure' : '';
      const age = `Max-Age=${SESSION_LIFETIME_MS / 1000}`;
      return {
        session: header,
        setCookie: `${cookieName()}=${cookie}; Path=/; HttpOnly; SameSite=Strict; ${age}${secure}`,
      };
    },
    sessionOf: async (c) => (await checkCredential(c)).session,
    isOurOrigin,
  };
}

function isApi(path: string): boolean {
  return path === '/api' || path.startsWith('/api/');
}

function refuseTooMany(attempts: FailedAttempts, c: AppRequest): void {
  const seconds = attempts.wait(addressOf(c));
  if (seconds === undefined) return;
  const headers = { 'Retry-After': String(seconds) };
  throw new HttpProblem(429, problemTexts.tooManyAttempts(seconds), { headers });
}

/** Counts a wrong credential. Throws if there were too many. */
export function wrongCredential(attempts: FailedAttempts, c: AppRequest, detail: string): HttpProblem {
  refuseTooMany(attempts, c);
  attempts.failed(addressOf(c));
  return unauthorized(detail);
}

export function unauthorized(detail: string): HttpProblem {
  return new HttpProblem(401, detail, { headers: { 'WWW-Authenticate': 'Bearer' } });
}

function addressOf(c: AppRequest): string {
  // Don't use X-Forwarded-For: an attacker could send a different value with each attempt.
  return c.env.incoming?.socket.remoteAddress ?? 'unknown';
}

const PAGE_HEADERS = Object.entries(SECURITY_HEADERS);
const API_HEADERS = [...PAGE_HEADERS, ['Cache-Control', 'no-store'] as const];

/** Sets headers on the socket's response if there is one, so that error responses have them too. */
export function setHeaders(c: AppRequest): () => void {
  const outgoing = c.env.outgoing;
  const headers = isApi(c.req.path) ? API_HEADERS : PAGE_HEADERS;
  if (outgoing === undefined) {
    return () => {
      for (const [name, value] of headers) if (!c.res.headers.has(name)) c.res.headers.set(name, value);
    };
  }
  for (const [name, value] of headers) outgoing.setHeader(name, value);
  return () => undefined;
}
