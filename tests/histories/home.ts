import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { createRuntime, type Engine } from '@countersign/core';
import type { Store } from '@countersign/core/ports';
import { createFakeClock, scripted, type FakeClock, type ScriptedCall } from '@countersign/core/testing';
import { openSqlite } from '@countersign/storage';
import { acpAgents } from '@countersign/tools';
import type { Hono } from 'hono';
import {
  createSimulatedProcess,
  type SimulatedProcess,
} from '../../packages/countersign/src/testing/simulated-process.js';
import { createApp } from '../../packages/server/src/app/create-app.js';
import type { Env } from '../../packages/server/src/app/context.js';
import { createAuth } from '../../packages/server/src/auth/create-auth.js';
import { PROGRAM_TOKEN } from '../../packages/server/src/auth/holders.js';
import { ensureOwner } from '../../packages/server/src/people/ensure-owner.js';
import { createWorkFolders, type WorkFolders } from '../../packages/server/src/home/work-folders.js';
import { createActivity, type Activity } from './activity.js';
import type { World } from './cast.js';
import { createTools, type HistoryTools } from './tools.js';

const PORT = 4747;
const ORIGIN = `http://127.0.0.1:${PORT}`;
const TOKEN = 'a-token-that-only-the-histories-know-0123456789';
export const ROOT = { Authorization: `Bearer ${TOKEN}` };

/** Fields of answers. Each step knows which of them its answer has. */
type Fields = Readonly<
  Record<'id' | 'token' | 'tokenId' | 'agent' | 'session' | 'open' | 'kind' | 'state', string> & {
    effect: { effectHash: string };
  }
>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Fields;
}

/** One process of the server. */
interface Process {
  simulated: SimulatedProcess;
  app: Hono<Env>;
  engine: Engine;
}

/** A server with its store and folders, without sockets. Several histories use it, one after the other. */
export interface Home {
  readonly clock: FakeClock;
  readonly store: Store;
  readonly tools: HistoryTools;
  readonly folders: Readonly<Record<World, string>>;
  readonly errors: string[];
  /** Sends a request to the API with these headers. Undefined if the process died before it answered. */
  send(
    headers: Readonly<Record<string, string>>,
    method: string,
    path: string,
    body?: unknown,
    how?: 'background',
  ): Promise<Answer | undefined>;
  /** Like `kill -9`, at once or after some more steps of the server. */
  kill(after: number): void;
  /** Starts the next process if this one is dead. */
  revive(): Promise<boolean>;
  /** Resolves when everything that doesn't wait for a request or the clock is done. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export async function openHome(): Promise<Home> {
  const clock = createFakeClock();
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'countersign-histories-')));
  const ours = join(base, 'home');
  mkdirSync(ours);
  const work = createWorkFolders(ours, join(base, 'worlds'));
  const folders = { harbour: work.own('harbour'), dock: work.own('dock') };
  symlinkSync(folders.dock, join(folders.harbour, 'link'));
  const activity = createActivity();
  const store = await openSqlite(':memory:', { clock, synchronous: 'NORMAL' });
  await ensureOwner(store, 'Olga Owner');
  const errors: string[] = [];
  const tools = createTools(activity, join(base, 'kept'));
  const start = (): Promise<Process> => startProcess({ store, clock, activity, work, tools, errors });
  let running = await start();

  const home: Home = {
    clock,
    store,
    tools,
    folders,
    errors,
    async send(headers, method, path, body, how) {
      const { app, simulated } = running;
      const asked = app.request(
        `${ORIGIN}${path.startsWith('/mcp/') ? '' : '/api'}${path}`,
        {
          method,
          headers: {
            host: new URL(ORIGIN).host,
            ...headers,
            ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        },
        {},
      );
      const answering = Promise.resolve(asked).then(async (response) => ({
        status: response.status,
        headers: response.headers,
        text: await response.text(),
      }));
      // A request that waits for a decision doesn't keep the server from coming to rest.
      const { status, headers: sent, text } = await (how === 'background' ? answering : activity.track(answering));
      if (simulated.isDead()) return undefined;
      const isJson = sent.get('content-type')?.includes('json') === true;
      return { status, headers: sent, text, body: JSON.parse(isJson && text !== '' ? text : '{}') as Fields };
    },
    kill(after) {
      if (after === 0) running.simulated.die();
      else running.simulated.dieAfter(after);
    },
    async revive() {
      if (!running.simulated.isDead()) return false;
      while (running.simulated.isDead()) running = await start();
      return true;
    },
    settle: () => activity.settle(),
    async close() {
      running.simulated.die();
      await setImmediate();
      await store.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
  return home;
}

interface ProcessParts {
  store: Store;
  clock: FakeClock;
  activity: Activity;
  work: WorkFolders;
  tools: HistoryTools;
  errors: string[];
}

/** Makes the calls in a JSON message, then answers `done`. */
const obedient = scripted(
  ({ messages }) => {
    const told = messages.findLast((message) => message.role === 'user' && message.name !== 'system');
    const calls = /\[.*\]/s.exec(told?.content ?? '')?.[0];
    if (told === undefined || calls === undefined) return 'ok';
    const isAnswered = messages.slice(messages.indexOf(told) + 1).length > 0;
    return isAnswered ? 'done' : { calls: JSON.parse(calls) as ScriptedCall[] };
  },
  { title: 'a history' },
);

async function startProcess({ store, clock, activity, work, tools, errors }: ProcessParts): Promise<Process> {
  const simulated = createSimulatedProcess(activity.watchStore(store), clock, () => undefined);
  const complain = (error: unknown, what: string): void => {
    if (!simulated.isDead()) errors.push(`${what}: ${String(error)}`);
  };
  const acp = acpAgents({ clock, env: {} });
  const engine = createRuntime({
    store: simulated.store,
    clock: simulated.clock,
    probe: simulated.probe,
    providers: [obedient],
    tools: tools.list,
    externalTool: acp.externalTool,
    findPlace: work.findPlace,
    onListenerFailure: (error) => complain(error, 'a listener failed'),
    onError: complain,
  });
  await engine.start().catch((error: unknown) => complain(error, 'could not start'));
  const auth = createAuth({
    token: TOKEN,
    tokenHolder: PROGRAM_TOKEN,
    store: simulated.store,
    clock: simulated.clock,
    report: complain,
    port: () => PORT,
    host: '127.0.0.1',
    allowHosts: [],
  });
  const quiet = (): void => undefined;
  const app = createApp({
    engine,
    auth,
    log: { info: quiet, warn: quiet, error: (message, fields) => complain(JSON.stringify(fields), message) },
    version: '0.0.0-test',
    checkFolder: work.check,
    ownFolder: (worldId) => work.own(worldId),
  });
  return { simulated, app, engine };
}
