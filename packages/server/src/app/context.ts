import type { HttpBindings } from '@hono/node-server';
import type { Engine } from '@countersign/core';
import type { Metrics } from '../metrics/create-metrics.js';
import type { ProviderStatus, Signer } from '@countersign/protocol';
import type { Context, MiddlewareHandler } from 'hono';

/** What a request carries through the app. `env` is empty when a test calls the app without a socket. */
export interface Env {
  Bindings: Partial<HttpBindings>;
  Variables: {
    /** Who signs, known from the credential alone (A16). Set by `auth.middleware`, before any route that writes. */
    signer: Signer;
  };
}
export type AppRequest = Context<Env>;

/** A diagnosis for whoever runs the server. Never a decision, and never a secret: what comes in here is written as it is. */
export interface Log {
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

/** Who may come in (W1). */
export interface Auth {
  /** Checks Host and Origin, and sets the security headers. Runs before everything else, for every request. */
  guard: MiddlewareHandler<Env>;
  /** Checks the credential, after `guard`. Throws an `HttpProblem` when it is missing or wrong; sets `signer` otherwise. */
  middleware: MiddlewareHandler<Env>;
  /** A ticket for the start link: good once, for a minute. */
  newTicket(): string;
  /** The same for a request with the token, once every process knows the ticket. Throws for a browser session: a stolen page must not create sessions. */
  newTicketFor(request: AppRequest): Promise<{ ticket: string; expiresAt: number }>;
  /** Trades a ticket for a session: the whole `Set-Cookie` value and the half that the page keeps. Undefined: no such ticket any more. */
  redeem(ticket: string, request: AppRequest): Promise<{ session: string; setCookie: string } | undefined>;
}

/** Everything the app needs of the process around it. */
export interface AppContext {
  engine: Engine;
  auth: Auth;
  log: Log;
  version: string;
  providers(): readonly ProviderStatus[] | Promise<readonly ProviderStatus[]>;
  /** Throws when a world must not act in this folder, such as one that holds our home (A21). Absent: it is found out at the first call. */
  checkWorkingDirectory?: (folder: string) => void;
  /** The folder of the built web app. Absent: only the API is served. */
  webRoot?: string;
  /** Served at `/metrics`, to whoever has the token. Absent: it is not. */
  metrics?: Metrics;
  /** The largest body that is read, in bytes. */
  bodyLimit?: number;
}
