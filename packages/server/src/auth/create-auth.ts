import type { Socket } from 'node:net';
import { isConfirmed } from '@countersign/core';
import type { Clock, FoundCredential, PersonRecord, Store } from '@countersign/core/ports';
import {
  CLIENT_HEADER,
  NO_CALL,
  SESSION_HEADER,
  TERMINAL_AGENT,
  TOKEN_EXPIRES_HEADER,
  type Assertion,
  type OidcReturn,
  type Signer,
  type Who,
} from '@countersign/protocol';
import { getCookie } from 'hono/cookie';
import type { AppRequest, Auth } from '../app/context.js';
import { HttpProblem } from '../app/http-problem.js';
import { problemTexts } from '../app/problem-texts.js';
import { addRandomChallenge } from '../passkeys/random-challenge.js';
import { signInWith } from '../passkeys/sign-in-with.js';
import type { Access } from '../people/access.js';
import {
  findCredential,
  hasLapsed,
  insertCredential,
  makeLink,
  noteUse,
  SESSION_LIFETIMES,
  type SessionLifetimes,
  TICKET_MS,
  type Made,
} from '../people/credentials.js';
import { ensureOwner } from '../people/ensure-owner.js';
import { openSession } from '../people/manage-sessions.js';
import { askToPair } from '../people/pair-device.js';
import { createStreamWatch } from '../people/stream-watch.js';
import type { OidcSignIn } from '../oidc/oidc-sign-in.js';
import { createHostCheck, type HostOptions } from './check-host.js';
import { readTrustedProxies, type ClientAddress } from './client-address.js';
import { deviceOf } from './device-of.js';
import { createFailedAttempts, type FailedAttempts } from './failed-attempts.js';
import { hashSecret, isSecret } from './secrets.js';
import { SECURITY_HEADERS } from './security-headers.js';
import { unauthorized } from './unauthorized.js';

export interface AuthOptions extends HostOptions {
  /** The bearer token of the server, at least 32 characters. Only its hash is stored here. */
  token: string;
  /** Who signs with it (LOG1). `owner`: the first active owner. */
  tokenHolder: Who | 'owner';
  store: Store;
  clock: Pick<Clock, 'now' | 'after'>;
  /** The same in each process that shares a database. Default: derived from the port. */
  cookieName?: string;
  /** Default: the address of the connection. */
  clientAddress?: ClientAddress;
  lifetimes?: SessionLifetimes;
  /** The URL at which people reach the server, if one is configured. */
  publicUrl?: string | undefined;
  report: (error: unknown, what: string) => void;
  /** Absent if no OIDC provider is configured. */
  oidc?: OidcSignIn;
  /** The label of the client with this secret (`X-Countersign-Client`), in the world that the path names. */
  clientLabel?: (secret: string, path: string) => Promise<string | undefined>;
  /** Called for each connection whose request had a valid credential. */
  onAuthenticated?: (socket: Socket) => void;
}

interface Authenticated {
  signer: Signer;
  access: Access;
}

/** Authentication (WHO1). */
export function createAuth(options: AuthOptions): Auth {
  const { clock, store, report, clientAddress = readTrustedProxies(undefined) } = options;
  const { lifetimes = SESSION_LIFETIMES } = options;
  const tokenHash = hashSecret(options.token);
  const checkHost = createHostCheck(options);
  const attempts = createFailedAttempts(clock);
  /** Challenges for passkeys, per address: each is a row of the store. */
  const challenged = createFailedAttempts(clock);
  const streams = createStreamWatch(store, clock, { report, confirm });
  /** Pending writes: the browser may open a link before its ticket is stored. */
  const writing = new Set<Promise<void>>();
  // Cookies ignore the port. The name includes it; otherwise, two servers on one host would overwrite each other's session.
  const cookieName = (): string => `countersign_${options.cookieName ?? options.port()}`;

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

  /** A request for the public URL, if that is https. Requests for other hosts, such as loopback, may come without it. */
  function isBehindHttps(c: AppRequest): boolean {
    if (options.publicUrl?.startsWith('https:') !== true) return false;
    return c.req.header('host')?.toLowerCase() === new URL(options.publicUrl).host;
  }

  function isOurOrigin(origin: string): boolean {
    if (!URL.canParse(origin)) return false;
    const { protocol, host } = new URL(origin);
    const verdict = protocol === 'https:' ? checkHost(host, 443) : checkHost(host, 80);
    return protocol === 'https:' ? verdict === 'allowed' : protocol === 'http:' && verdict !== undefined;
  }

  /** Throws if the credential is missing or wrong. */
  async function checkCredential(c: AppRequest): Promise<Authenticated> {
    const authorization = c.req.header('authorization');
    if (authorization !== undefined) {
      const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
      // Compare before rate limiting: a token is too long to guess, and failed attempts by others must not lock its owner out.
      if (token !== undefined && isSecret(token, tokenHash)) return await asServerToken(c);
      const found = await findToken(c, token ?? '');
      return await authenticated(c, found, tokenVia(found.credential, await clientOf(c)));
    }
    const cookie = getCookie(c, cookieName());
    const header = c.req.header(SESSION_HEADER);
    if (cookie === undefined && header === undefined) {
      throw unauthorized(problemTexts.noCredential);
    }
    const lookup = await findCredential(store, 'session', cookie ?? '', header ?? '');
    if (lookup.kind === 'found') return await authenticated(c, lookup.found, deviceOf(c.req.header('user-agent')));
    throw wrong(c, problemTexts.unknownSession, lookup.kind === 'wrong' ? lookup.personId : undefined);
  }

  async function findToken(c: AppRequest, token: string): Promise<FoundCredential> {
    const lookup = token.startsWith(PREFIX)
      ? await findCredential(store, 'token', token.slice(PREFIX.length))
      : ({ kind: 'none' } as const);
    if (lookup.kind === 'found') return lookup.found;
    throw wrong(c, problemTexts.wrongToken, lookup.kind === 'wrong' ? lookup.personId : undefined);
  }

  async function asServerToken(c: AppRequest): Promise<Authenticated> {
    const via = (await clientOf(c)) ?? 'http';
    const { tokenHolder } = options;
    const kind = 'server-token';
    if (tokenHolder !== 'owner') return { signer: { who: tokenHolder, via }, access: { holder: kind, kind } };
    const person = await ensureOwner(store);
    return { signer: { who: whoIs(person), via }, access: { holder: kind, kind, person } };
  }

  /** The person as the OIDC provider last described them. Undefined if they must sign in again. */
  async function confirm(person: PersonRecord): Promise<PersonRecord | undefined> {
    if (options.oidc !== undefined) return await options.oidc.confirm(person);
    return isConfirmed(person, clock.now()) ? person : undefined;
  }

  async function authenticated(c: AppRequest, found: FoundCredential, via: string): Promise<Authenticated> {
    const { credential } = found;
    const person = await confirm(found.person);
    if (person === undefined) throw unauthorized(problemTexts.oidcExpired);
    if (hasLapsed(credential, clock.now(), lifetimes)) throw unauthorized(problemTexts.unknownSession);
    // A full disk must not sign everyone out.
    const renews = !c.req.path.endsWith(`/external/calls/${NO_CALL}`);
    const use = { now: clock.now(), from: addressOf(c, clientAddress), renews };
    await noteUse(store, credential, use, lifetimes).catch((error: unknown) =>
      report(error, 'The last use of a session or token could not be saved'),
    );
    // A credential is checked twice if the body arrives late. The first time, it was not yet renewed by this request.
    const isSaid = c.env.outgoing?.hasHeader(TOKEN_EXPIRES_HEADER) === true;
    if (credential.kind === 'token' && credential.expiresAt !== null && !isSaid)
      c.env.outgoing?.setHeader(TOKEN_EXPIRES_HEADER, new Date(credential.expiresAt).toISOString());
    const { scopes, external, linked } = credential.data;
    const isInvited = credential.kind === 'session' && credential.parentId === null;
    const limitedBy = linked === true ? ('link' as const) : isInvited ? ('invitation' as const) : undefined;
    const kind = credential.kind === 'token' ? 'token' : 'session';
    const access = {
      holder: credential.id,
      kind,
      person,
      ...(scopes && { scopes, ...(limitedBy && { limitedBy }) }),
      ...(external && { external }),
    } as const;
    // The person who created the token of a program may be someone else than the one who uses it.
    const isShared = external !== undefined && external.isPersonal !== true;
    const who = isShared ? ({ kind: 'token', id: credential.id, name: credential.name } as const) : whoIs(person);
    return { signer: { who, via }, access };
  }

  /** Counts per address, and per person, in case someone guesses from many addresses. */
  function wrong(c: AppRequest, detail: string, personId: string | undefined): HttpProblem {
    const person = personId === undefined ? [] : [`person ${personId}`];
    return wrongCredential(attempts, [addressOf(c, clientAddress), ...person], detail);
  }

  /** The program that sends a token: a registered client, our own terminal, or undefined for any other. */
  async function clientOf(c: AppRequest): Promise<string | undefined> {
    const secret = c.req.header(CLIENT_HEADER);
    const label = secret === undefined ? undefined : await options.clientLabel?.(secret, c.req.path);
    return label ?? (c.req.header('user-agent') === TERMINAL_AGENT ? 'terminal' : undefined);
  }

  async function storeTicket(made: Made, access: Access | undefined): Promise<void> {
    const { id: personId } = access?.person ?? (await ensureOwner(store));
    const ticket = {
      personId,
      kind: 'ticket',
      name: '',
      data: access?.scopes === undefined ? {} : { scopes: access.scopes },
      parentId: access?.kind === 'token' ? access.holder : null,
    } as const;
    await store.transact('', (tx) => insertCredential(tx, made, { ...ticket, expiresAt: tx.now() + TICKET_MS }));
  }

  /** A ticket for the person of a credential, with no more rights than the credential. */
  function makeTicket(access: Access | undefined): { ticket: string; stored: Promise<void> } {
    const made = makeLink();
    const stored = storeTicket(made, access);
    const written = stored
      .catch((error: unknown) => report(error, 'The start link could not be stored. Create another one'))
      .finally(() => writing.delete(written));
    writing.add(written);
    return { ticket: made.secret, stored };
  }

  /** Asks the provider only if this address has not sent too many wrong answers. */
  async function finishOidc(c: AppRequest, given: OidcReturn): Promise<FoundCredential> {
    if (options.oidc === undefined) throw new HttpProblem(404, problemTexts.noOidc);
    const address = addressOf(c, clientAddress);
    if (attempts.wait(address) !== undefined) throw wrongCredential(attempts, [address], '');
    try {
      return await options.oidc.finish(given, deviceOf(c.req.header('user-agent')));
    } catch (error) {
      if (error instanceof HttpProblem && error.status < 500) attempts.failed(address);
      throw error;
    }
  }

  async function keyOf(c: AppRequest, given: SignInWith): Promise<FoundCredential> {
    if (given.oidc !== undefined) return await finishOidc(c, given.oidc);
    if (given.token !== undefined) {
      if (!isSecret(given.token, tokenHash)) return await findToken(c, given.token);
      const { ticket, stored } = makeTicket(undefined);
      await stored;
      return await keyOf(c, { ticket });
    }
    if (given.passkey !== undefined) return await passkeyOf(c, given.passkey);
    await Promise.all(writing);
    const [kind, text] =
      given.ticket === undefined ? (['invitation', given.invitation] as const) : (['ticket', given.ticket] as const);
    const lookup = await findCredential(store, kind, text ?? '');
    if (lookup.kind === 'found') return lookup.found;
    const detail = kind === 'ticket' ? problemTexts.usedTicket : problemTexts.usedInvitation;
    throw wrong(c, detail, lookup.kind === 'wrong' ? lookup.personId : undefined);
  }

  async function passkeyOf(c: AppRequest, assertion: Assertion): Promise<FoundCredential> {
    const origin = c.req.header('origin') ?? '';
    const { value: checked } = await store.transact('', (tx) => signInWith(tx, assertion, origin));
    if (checked.ok) return checked.found;
    throw wrong(c, checked.detail, checked.personId);
  }

  return {
    streams,
    async guard(c, next) {
      const setLater = setHeaders(c, isBehindHttps(c));
      checkSource(c);
      await next();
      setLater();
    },
    async middleware(c, next) {
      const { signer, access } = await checkCredential(c);
      c.set('signer', signer);
      c.set('access', access);
      const socket = c.env.incoming?.socket;
      if (socket !== undefined) options.onAuthenticated?.(socket);
      await next();
    },
    async sessionOf(c) {
      const { access } = await checkCredential(c);
      return access.kind === 'session' ? access.holder : undefined;
    },
    isOurOrigin,
    addressOf: (c) => addressOf(c, clientAddress),
    ...(options.oidc === undefined ? {} : { oidc: options.oidc }),
    newTicket: () => makeTicket(undefined).ticket,
    async newTicketFor(c) {
      // The middleware has authenticated the request; without this header, it used a session.
      if (c.req.header('authorization') === undefined) {
        throw new HttpProblem(403, problemTexts.needsToken);
      }
      const expiresAt = clock.now() + TICKET_MS;
      const { ticket, stored } = makeTicket(c.var.access);
      await stored;
      return { ticket, expiresAt };
    },
    async newSignInChallenge(c) {
      const address = addressOf(c, clientAddress);
      const seconds = challenged.wait(address);
      if (seconds !== undefined) throw tooManyAttempts(seconds);
      challenged.failed(address);
      const { id } = await ensureOwner(store);
      return (await store.transact('', (tx) => addRandomChallenge(tx, 'sign-in', id))).value;
    },
    async signIn(given, c) {
      const key = await keyOf(c, given);
      if ((await confirm(key.person)) === undefined) throw unauthorized(problemTexts.oidcExpired);
      const device = deviceOf(c.req.header('user-agent'));
      if (key.credential.data.linked === true) {
        const asking = { device, from: addressOf(c, clientAddress), secret: given.pairing };
        const asked = await askToPair(store, key.credential, asking);
        if (asked === undefined) throw wrong(c, problemTexts.usedTicket, undefined);
        if (asked !== 'confirmed') return asked;
      }
      const opened = await openSession(store, key, device, lifetimes);
      // Someone else was faster.
      if (opened === undefined) throw wrong(c, problemTexts.usedTicket, undefined);
      const secure = c.req.header('origin')?.startsWith('https:') === true ? '; Secure' : '';
      const age = `Max-Age=${lifetimes.mostMs / 1000}`;
      return {
        session: opened.header,
        setCookie: `${cookieName()}=${opened.cookie}; Path=/; HttpOnly; SameSite=Strict; ${age}${secure}`,
      };
    },
  };
}

/** How a browser signs in: exactly one of them. */
type SignInWith = Parameters<Auth['signIn']>[0];

/** Personal tokens begin with it, so that scanners for leaked secrets recognize them. */
const PREFIX = 'cs_';

function whoIs({ id, name }: PersonRecord): Who {
  return { kind: 'person', id, name };
}

/** Paths for programs: the API and the MCP gateway. */
function isApi(path: string): boolean {
  return path === '/api' || path.startsWith('/api/') || path.startsWith('/mcp/');
}

const LONGEST_VIA = 200;

/** Names the token, and who created it, also if one of our clients sent it: its person may not know of it (WHO5.1). */
function tokenVia({ name, data: { createdBy } }: FoundCredential['credential'], client: string | undefined): string {
  const token = createdBy === undefined ? name : `${name} (created by ${createdBy})`;
  return (client === undefined ? token : `${client}, token ${token}`).slice(0, LONGEST_VIA);
}

/** Counts a wrong credential; 429 if there were too many. A right credential is never limited. */
export function wrongCredential(attempts: FailedAttempts, keys: readonly string[], detail: string): HttpProblem {
  const seconds = Math.max(...keys.map((key) => attempts.wait(key) ?? 0));
  if (seconds > 0) return tooManyAttempts(seconds);
  for (const key of keys) attempts.failed(key);
  return unauthorized(detail);
}

function tooManyAttempts(seconds: number): HttpProblem {
  return new HttpProblem(429, problemTexts.tooManyAttempts(seconds), { headers: { 'Retry-After': String(seconds) } });
}

export function addressOf(c: AppRequest, clientAddress: ClientAddress = readTrustedProxies(undefined)): string {
  return clientAddress(c.env.incoming?.socket.remoteAddress, c.req.header('x-forwarded-for'));
}

const PAGE_HEADERS = Object.entries(SECURITY_HEADERS);
/** Without subdomains, which may belong to others. */
const STRICT_TRANSPORT = ['Strict-Transport-Security', 'max-age=31536000'] as const;
const API_HEADERS = [...PAGE_HEADERS, ['Cache-Control', 'no-store'] as const];

/** Sets headers on the socket's response if there is one, so that error responses have them too. */
export function setHeaders(c: AppRequest, isBehindHttps = false): () => void {
  const outgoing = c.env.outgoing;
  const own = isApi(c.req.path) ? API_HEADERS : PAGE_HEADERS;
  const headers = isBehindHttps ? [...own, STRICT_TRANSPORT] : own;
  if (outgoing === undefined) {
    return () => {
      for (const [name, value] of headers) if (!c.res.headers.has(name)) c.res.headers.set(name, value);
    };
  }
  for (const [name, value] of headers) outgoing.setHeader(name, value);
  return () => undefined;
}
