import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { createRuntime, type Engine } from '@countersign/core';
import type { McpHostFactory, Store, Tool } from '@countersign/core/ports';
import {
  createFakeClock,
  scripted,
  type FakeClock,
  type Script,
  type ScriptedProvider,
} from '@countersign/core/testing';
import { openSqlite } from '@countersign/storage';
import { acpAgents } from '@countersign/tools';
import type { Hono } from 'hono';
import { createApp } from '../app/create-app.js';
import type { AppContext, Env } from '../app/context.js';
import type { Route } from '../app/route.js';
import { SESSION_LIFETIMES, type SessionLifetimes } from '../people/credentials.js';
import { createExternalLimiter, EXTERNAL_LIMITS } from '../people/external-limiter.js';
import { createAuth } from '../auth/create-auth.js';
import { PROGRAM_TOKEN } from '../auth/holders.js';
import type { OidcSettings } from '../oidc/oidc-settings.js';
import { createOidcSignIn } from '../oidc/oidc-sign-in.js';
import { ensureOwner } from '../people/ensure-owner.js';
import type { WorkFolders } from '../home/folders/work-folders.js';
import { createRegistry } from '../providers/create-registry.js';
import { createSecretBox } from '../providers/secret-box.js';
import { temporarySecretsKey, type SecretsKey } from '../providers/secrets-key.js';
import { acceptTokenChannels } from '../serve/accept-token-channels.js';
import { listenOn } from '../serve/listen-on.js';
import { createWebhooks } from '../webhooks/webhooks.js';
import type { OutboundRoute } from '../outbound/named-hosts.js';
import { createPush } from '../push/push.js';
import { createSchedules } from '../schedules/send-due.js';
import type { PushRoute } from '../push/send-push.js';
import { checkResponse } from './check-response.js';

export const TOKEN = 'a-token-that-only-this-test-knows-0123456789';

/** A response, with its body parsed if it is JSON. */
interface Answered<T = Record<string, unknown>> {
  status: number;
  headers: Headers;
  body: T;
  text: string;
}

export interface AppFixture {
  app: Hono<Env>;
  engine: Engine;
  clock: FakeClock;
  provider: ScriptedProvider;
  /** The server's URL, without a trailing slash. */
  url: string;
  /** Errors that were logged or reported. */
  errors: readonly string[];
  /**
   * Sends a request to a path under `/api` with the token; `body` is sent as JSON. The response is checked against the API
   * description.
   */
  api<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answered<T>>;
  newTicket(): string;
  close(): Promise<void>;
}

export interface AppFixtureOptions {
  script?: Script;
  tools?: readonly Tool[];
  mcp?: McpHostFactory;
  /** The working folder of all worlds. Default: the current folder. */
  folder?: string;
  /** Checks and finds the folder of each world, as in a home. */
  workFolders?: WorkFolders;
  /** Default: in memory. */
  file?: string;
  store?: Store;
  /** Default: a key that exists only in this process. */
  secrets?: SecretsKey;
  /** Settings of an OIDC provider. */
  oidc?: OidcSettings;
  lifetimes?: SessionLifetimes;
  /** How notifications reach a push service. Default: they reach none. */
  push?: PushRoute;
  /** How long a call waits before the people of a group are told. */
  tellAfter?: Readonly<Record<string, number>>;
  /** How webhooks reach receivers. Default: they reach none. */
  webhooks?: OutboundRoute;
  /** Commands that the administrator's file lists (SAFE2.3). */
  listedPrograms?: Engine['runtime']['options']['listedPrograms'];
  /** Default: all routes. */
  routes?: readonly Route[];
  /** When the clock starts. */
  now?: number;
  context?: Partial<Pick<AppContext, 'bodyLimit' | 'webRoot' | 'providers' | 'externalLimiter' | 'metrics' | 'runs'>>;
}

/** Nothing leaves the machine. */
const NO_PUSH: PushRoute = {
  named: [],
  subject: 'https://countersign.example',
  network: { resolve: async () => [], mayConnect: () => false },
};

const opened = new Set<AppFixture>();

/** A real HTTP server on an engine with the scripted model. */
export async function openApp(options: AppFixtureOptions = {}): Promise<AppFixture> {
  const clock = createFakeClock(options.now);
  const errors: string[] = [];
  const provider = scripted(options.script ?? (() => 'ok'));
  const store = options.store ?? (await openSqlite(options.file ?? ':memory:', { clock, synchronous: 'NORMAL' }));
  await ensureOwner(store, 'Olga Owner');
  const secrets = options.secrets ?? temporarySecretsKey();
  const registry = createRegistry({ store, secrets, own: [provider], timeoutMs: 2_000 });
  const acp = acpAgents({ clock, env: {} });
  const engine = createRuntime({
    store,
    clock,
    providers: [provider, acp.provider],
    providerSource: registry,
    tools: options.tools ?? [],
    externalTool: acp.externalTool,
    secretBox: createSecretBox(secrets),
    listedPrograms: options.listedPrograms ?? [],
    ...(options.mcp === undefined ? {} : { mcp: options.mcp }),
    findPlace:
      options.workFolders?.findPlace ?? (() => ({ workingDirectory: options.folder ?? process.cwd(), home: '/' })),
    onListenerFailure: (error) => errors.push(String(error)),
    onError: (error, what) => errors.push(`${what}: ${String(error)}`),
  });
  await engine.start();
  const report = (error: unknown, what: string): void => void errors.push(`${what}: ${String(error)}`);
  let port = 0;
  const auth = createAuth({
    token: TOKEN,
    tokenHolder: PROGRAM_TOKEN,
    store,
    clock,
    report,
    port: () => port,
    host: '127.0.0.1',
    allowHosts: [],
    ...(options.lifetimes === undefined ? {} : { lifetimes: options.lifetimes }),
    ...(options.oidc === undefined
      ? {}
      : {
          oidc: createOidcSignIn({
            settings: options.oidc,
            runtime: engine.runtime,
            box: createSecretBox(secrets),
            report,
          }),
        }),
  });
  const quiet = (): void => undefined;
  const logError = (message: string, fields?: object): void => void errors.push(`${message} ${JSON.stringify(fields)}`);
  const context: AppContext = {
    engine,
    auth,
    log: { info: quiet, warn: quiet, error: logError },
    version: '0.0.0-test',
    providers: registry,
    ...(options.workFolders === undefined ? {} : { checkFolder: options.workFolders.check }),
    externalLimiter: createExternalLimiter(clock, EXTERNAL_LIMITS),
    push: createPush({
      runtime: engine.runtime,
      box: createSecretBox(secrets),
      lifetimes: options.lifetimes ?? SESSION_LIFETIMES,
      tellAfter: options.tellAfter ?? {},
      log: { warn: quiet, error: logError },
      route: options.push ?? NO_PUSH,
    }),
    schedules: createSchedules({
      runtime: engine.runtime,
      lifetimes: options.lifetimes ?? SESSION_LIFETIMES,
      log: { error: logError },
    }),
    webhooks: createWebhooks({
      runtime: engine.runtime,
      box: createSecretBox(secrets),
      log: { error: logError },
      route: options.webhooks ?? NO_PUSH,
      publicUrl: () => 'https://countersign.example',
    }),
    ...options.context,
  };
  context.push?.start();
  context.schedules?.look();
  context.webhooks?.start();
  const app = createApp(context, options.routes);
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  acceptTokenChannels(server, { token: TOKEN, store });
  port = await listenOn(server, 0, '127.0.0.1');
  const url = `http://127.0.0.1:${port}`;

  const fixture: AppFixture = {
    app,
    engine,
    clock,
    provider,
    url,
    errors,
    async api<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
      const response = await fetch(`${url}/api${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${TOKEN}`,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = /json/.test(response.headers.get('content-type') ?? '') && text.trim().split('\n').length === 1;
      const read = (isJson ? JSON.parse(text) : {}) as T;
      const { status } = response;
      checkResponse(method, path, { status, type: response.headers.get('content-type') ?? '', body: read });
      return { status, headers: response.headers, text, body: read };
    },
    newTicket: () => auth.newTicket(),
    async close() {
      opened.delete(fixture);
      context.push?.close();
      context.schedules?.close();
      context.webhooks?.close();
      await engine.close();
      server.closeAllConnections();
      server.close();
    },
  };
  opened.add(fixture);
  return fixture;
}

/** For `afterEach`: closes everything a test opened, even if it failed. */
export async function closeApps(): Promise<void> {
  await Promise.all([...opened].map((fixture) => fixture.close()));
}

/** Polls until `look` returns a value; throws on timeout. */
export async function until<T>(look: () => Promise<T | undefined>, what: string, ms = 30_000): Promise<T> {
  const end = Date.now() + ms;
  for (let pause = 5; Date.now() < end; pause = Math.min(2 * pause, 40)) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => {
      setTimeout(resolve, pause);
    });
  }
  throw new Error(`timed out waiting until ${what}`);
}
