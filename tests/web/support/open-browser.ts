import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Client, createClient } from '@countersign/client';
import { createLog, serve, type ServeOptions, type Serving } from '@countersign/server';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { inject, vi } from 'vitest';
import { sharedSandbox } from '../../support/shared-sandbox.js';
import { chromiumArguments } from '../../support/chromium.js';
import { root } from '../../support/source-modules.js';
import { obedientModel } from './obedient-model.js';
import { REMARKS } from './steps.js';
import { testTools } from './test-tools.js';

export const webRoot = fileURLToPath(new URL('../../../packages/web/dist', import.meta.url));
/** Whether there is a browser; if not, the setup has printed what is skipped. */
export const hasBrowser = inject('chromium') !== '';

/** How long a view may take on a busy machine. */
const PATIENCE_MS = 30_000;

export interface Opened {
  readonly serving: Serving;
  /** A client of the same server. */
  readonly api: Client;
  /** Stops the server, and starts it again at the same port. Its secrets key must come from `env`. */
  restart(): Promise<void>;
  ran: string[];
  /** A person with their own browser profile, already signed in. Browser errors are collected. */
  visit(options?: VisitOptions): Promise<Visit>;
  /** A world with one obedient agent, and a chat in it. */
  newChat(): Promise<{ world: string; chat: string; path: string }>;
  close(): Promise<void>;
}

interface VisitOptions {
  /** The headless shell, unless the test needs the full browser. */
  program?: 'chromium' | 'headlessShell';
  width?: number;
  height?: number;
  dark?: boolean;
  touch?: boolean;
  path?: string;
  /** An invitation, to sign in as someone else than the owner. */
  invitation?: string;
  /** The test controls the clock of the page. */
  clock?: boolean;
  /** Runs first in every page of this visit. */
  script?: string;
  /** Lets the service worker run. */
  worker?: boolean;
}

export interface Visit {
  page: Page;
  context: BrowserContext;
  /** Script errors and content security policy violations. */
  complaints: string[];
}

const launched = new Map<string, Promise<Browser>>();
let closing: NodeJS.Timeout | undefined;

/**
 * The browser that all test files of this worker share: close the pages you open, and call `leave` at the end of the
 * file.
 */
export async function launch(program: 'chromium' | 'headlessShell' = 'headlessShell'): Promise<Browser> {
  clearTimeout(closing);
  // Each `expect.poll` attempt costs five processes some milliseconds of CPU. Vitest resets this after the file.
  vi.setConfig({ expect: { poll: { timeout: PATIENCE_MS, interval: 100 } } });
  const executablePath = inject(program);
  const browser = launched.get(executablePath) ?? chromium.launch({ executablePath, args: chromiumArguments() });
  launched.set(executablePath, browser);
  return await browser;
}

/** Closes the browser unless another file of this worker needs it soon. */
export function leave(): void {
  clearTimeout(closing);
  closing = setTimeout(() => {
    const all = [...launched.values()];
    launched.clear();
    void Promise.all(all.map(async (browser) => (await browser).close()));
  }, 10_000).unref();
}

/** A real server for a test file, and people who visit it with a browser. */
export async function openBrowser(
  options: Partial<Pick<ServeOptions, 'env' | 'push' | 'localAgents' | 'clock'>> = {},
): Promise<Opened> {
  const home = await mkdtemp(join(tmpdir(), 'countersign-web-'));
  const recorded = testTools();
  const log = createLog({
    level: 'error',
    isTerminal: true,
    write: (line) => process.stderr.write(line),
    now: Date.now,
  });
  const start = async (port: number): Promise<Serving> =>
    await serve({
      ...options,
      // The server takes secrets out of it.
      env: { ...options.env },
      home,
      log,
      port,
      version: 'test',
      webRoot,
      // A port where nothing listens, so that programs on this machine don't affect the test.
      ollamaUrl: 'http://127.0.0.1:9',
      providers: [obedientModel()],
      tools: recorded.tools,
      show: [root],
      sandbox: await sharedSandbox(),
    });
  let serving = await start(0);
  const contexts: BrowserContext[] = [];
  const connect = (): Client => createClient({ url: serving.url, token: serving.home.token.value });
  let api = connect();
  let worlds = 0;
  return {
    get serving() {
      return serving;
    },
    get api() {
      return api;
    },
    async restart() {
      await serving.close();
      serving = await start(Number(new URL(serving.url).port));
      api = connect();
    },
    ran: recorded.ran,
    async visit(options = {}) {
      const visited = await visit(await launch(options.program), serving, options);
      contexts.push(visited.context);
      return visited;
    },
    async newChat() {
      worlds += 1;
      const { id: world } = await api.createWorld({ name: `Lab ${worlds}` });
      await api.createAgent(world, { name: 'Ada', provider: 'obedient', model: 'test', tools: ['*'] });
      const { id: chat } = await api.createChat(world);
      return { world, chat, path: `/w/${world}/c/${chat}` };
    },
    async close() {
      for (const context of contexts) await context.close();
      leave();
      await serving.close();
      for (const folder of [home, `${home}-worlds`]) await rm(folder, { recursive: true, force: true });
    },
  };
}

async function visit(
  browser: Browser,
  serving: Serving,
  {
    width = 1440,
    height = 900,
    dark = false,
    touch = false,
    path,
    invitation,
    clock = false,
    script,
    worker = false,
  }: VisitOptions,
): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
    hasTouch: touch,
    // Otherwise, each context would load the shell twice, and `route` would miss requests.
    serviceWorkers: worker ? 'allow' : 'block',
  });
  await context.addInitScript(REMARKS);
  if (script !== undefined) await context.addInitScript(script);
  if (clock) await context.clock.install();
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // The page shows refusals itself; the browser's own message adds nothing.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  keepPicture(page);
  // A ticket is accepted on every page: one load instead of two.
  const start = new URL(invitation ?? serving.newStartUrl());
  await page.goto(new URL(`${path ?? ''}${start.hash}`, start.origin).href);
  await (path === undefined ? page.getByLabel('Message') : page.getByRole('main')).waitFor();
  return { page, context, complaints };
}

const shown: Page[] = [];

/** Saves a screenshot when a test fails, if COUNTERSIGN_PICTURES names a folder. */
function keepPicture(page: Page): void {
  shown.push(page);
}

export async function picturesOf(name: string): Promise<void> {
  const folder = process.env['COUNTERSIGN_PICTURES'];
  if (folder === undefined) return;
  for (const [index, page] of shown.entries())
    if (!page.isClosed())
      await page.screenshot({ path: join(folder, `${name.replace(/\W+/g, '-').slice(0, 60)}-${index}.png`) });
}
