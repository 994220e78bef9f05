import type { LocalAgents } from '../local-agents/local-agents.js';
import type { HttpBindings } from '@hono/node-server';
import type { Engine } from '@countersign/core';
import type { Access } from '../people/access.js';
import type { StreamWatch } from '../people/stream-watch.js';
import type { OidcSignIn } from '../oidc/oidc-sign-in.js';
import type { Metrics } from '../metrics/create-metrics.js';
import type { Push } from '../push/push.js';
import type { Schedules } from '../schedules/send-due.js';
import type { Webhooks } from '../webhooks/webhooks.js';
import type { Runs } from '../runs/runs.js';
import type { WorkFolders } from '../home/folders/work-folders.js';
import type { ProviderRegistry } from '../providers/create-registry.js';
import type { NewSession, Pairing, Signer } from '@countersign/protocol';
import type { Context, MiddlewareHandler } from 'hono';

/** Per-request context of the app. `env` is empty when a test calls the app without a socket. */
export interface Env {
  Bindings: Partial<HttpBindings>;
  Variables: {
    /** The signer, derived from the credential alone (LOG1). Set by `auth.middleware` before any route that writes. */
    signer: Signer;
    /** What the credential may do. Set together with `signer`. */
    access: Access;
    /** Is told how much of a body without `Content-Length` was read. */
    received?: (bytes: number) => void;
  };
}
export type AppRequest = Context<Env>;

export interface ExternalLimiter {
  /** Before the body is read. Throws a 429 if too much was received. */
  request(c: AppRequest): void;
  /** Before the call is judged. Counts calls that are refused, too. Throws a 429. */
  call(c: AppRequest, worldId: string, agentId: string): void;
}

/** Diagnostic log for operators. Never log decisions or secrets: messages are not redacted. */
export interface Log {
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

/** Authentication (WHO1). */
export interface Auth {
  /** Checks Host and Origin and sets the security headers. Runs first, for every request. */
  guard: MiddlewareHandler<Env>;
  /** Checks the credential, after `guard`. Throws an `HttpProblem` if it is missing or wrong; otherwise sets `signer`. */
  middleware: MiddlewareHandler<Env>;
  /** The address that a request came from. */
  addressOf(request: AppRequest): string;
  /** A single-use ticket for the start link, valid for one minute. */
  newTicket(): string;
  /** Like `newTicket`, but waits until every process accepts the ticket. Throws for browser sessions: a stolen session must not create more. */
  newTicketFor(request: AppRequest): Promise<{ ticket: string; expiresAt: number }>;
  /**
   * Opens a session with a ticket, an invitation, a token or a passkey: the full `Set-Cookie` value and the page's part. Throws an `HttpProblem` if it is
   * unknown, used or expired.
   */
  signIn(given: NewSession, request: AppRequest): Promise<{ session: string; setCookie: string } | Pairing>;
  /** A challenge for signing in with a passkey. Works once, for five minutes. Limited per address, because it is stored. */
  newSignInChallenge(request: AppRequest): Promise<string>;
  /** The id of the request's browser session; undefined if it has a token instead. Throws if the credential is missing or wrong. */
  sessionOf(request: AppRequest): Promise<string | undefined>;
  /** Sign-in with OIDC. Absent if no provider is configured. */
  oidc?: Pick<OidcSignIn, 'name' | 'start'>;
  /** Whether this is an origin of our own web app. */
  isOurOrigin(origin: string): boolean;
  /** Ends event streams when their credential ends. Absent if the program that serves the API checks its own credentials. */
  streams?: StreamWatch;
}

/** The app's dependencies on the process that hosts it. */
export interface AppContext {
  engine: Engine;
  auth: Auth;
  log: Log;
  version: string;
  /** Absent in a program that configures its providers in code; the routes for providers are then omitted. */
  providers?: ProviderRegistry;
  /**
   * Throws if a world must not use this folder, such as one that contains our home folder (SAFE1). If absent, the folder is checked at the first
   * call.
   */
  checkFolder?: WorkFolders['check'];
  /** The folder of a world that has no `workingDirectory`. */
  ownFolder?: (worldId: string) => string;
  /** The folder of the built web app. If absent, only the API is served. */
  webRoot?: string;
  /** Served at `/metrics` to clients with the token. If absent, not served. */
  metrics?: Metrics;
  /** The URL at which people reach the server (`COUNTERSIGN_PUBLIC_URL`), for links. Default: that of the request. */
  publicUrl?: string;
  /** Set if a program serves the API, without the routes for people and the log of the server. */
  mounted?: true;
  /** Limits what programs outside send (EXT1.17). Absent if a program serves the API. */
  externalLimiter?: ExternalLimiter;
  /** Absent if a program serves the API, or starts the server without knowing them. */
  localAgents?: LocalAgents;
  /** Absent if a program serves the API. */
  runs?: Runs;
  /** Notifications. Absent if a program serves the API. */
  push?: Push;
  /** Absent if a program serves the API. */
  schedules?: Schedules;
  /** Absent if a program serves the API. */
  webhooks?: Webhooks;
  /** Request body limit in bytes. */
  bodyLimit?: number;
}
