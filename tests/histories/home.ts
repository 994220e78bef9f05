import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Store } from '@countersign/core/ports';
import { createFakeClock, type FakeClock } from '@countersign/core/testing';
import { openSqlite } from '@countersign/storage';
import { createWorkFolders } from '../../packages/server/src/home/folders/work-folders.js';
import { ensureOwner } from '../../packages/server/src/people/ensure-owner.js';
import { createActivity } from './activity.js';
import type { World } from './cast.js';
import { ORIGIN, startProcess, type Process } from './process.js';
import { createTools, type HistoryTools } from './tools.js';

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

/** What a home runs on. */
export interface Ground {
  readonly clock: FakeClock;
  /** For each process, and for the histories themselves. */
  readonly openStore: () => Promise<Store>;
  /** How many processes run at the same time. */
  readonly processes: number;
}

/** One process at a time, in memory, with a clock that only the history moves. */
export async function sqliteGround(): Promise<Ground> {
  const clock = createFakeClock();
  const store = await openSqlite(':memory:', { clock, synchronous: 'NORMAL' });
  return { clock, processes: 1, openStore: async () => store };
}

/** A server with its store and folders, without sockets. Several histories use it, one after the other. */
export interface Home {
  readonly clock: FakeClock;
  /** Whether the history moves the clock. */
  readonly isMovable: boolean;
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
  /** Like `kill -9` of one process, at once or after some more of its steps. */
  kill(after: number): void;
  /** Replaces processes that have died. */
  revive(): Promise<boolean>;
  /** No process dies anymore. */
  spare(): Promise<void>;
  /** Resolves when everything that doesn't wait for a request or the clock is done. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export async function openHome({ clock, openStore, processes }: Ground): Promise<Home> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'countersign-histories-')));
  const ours = join(base, 'home');
  mkdirSync(ours);
  const work = createWorkFolders(ours, join(base, 'worlds'));
  const folders = { harbour: work.own('harbour'), dock: work.own('dock') };
  symlinkSync(folders.dock, join(folders.harbour, 'link'));
  const activity = createActivity();
  const store = await openStore();
  await ensureOwner(store, 'Olga Owner');
  const errors: string[] = [];
  const tools = createTools(activity, join(base, 'kept'));
  const stores = new Set([store]);
  const start = async (): Promise<Process> => {
    const own = await openStore();
    stores.add(own);
    return await startProcess({ store: own, clock, activity, work, tools, errors });
  };
  const running: Process[] = [];
  for (let left = processes; left > 0; left -= 1) running.push(await start());
  let turn = 0;
  /** Each request goes to another process. */
  const nextProcess = (): Process => running[(turn += 1) % running.length] as Process;

  const home: Home = {
    clock,
    isMovable: processes === 1,
    store,
    tools,
    folders,
    errors,
    async send(headers, method, path, body, how) {
      const { app, simulated, died } = nextProcess();
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
      const read = async (): Promise<Omit<Answer, 'body'>> => {
        const response = await asked;
        return { status: response.status, headers: response.headers, text: await response.text() };
      };
      const answering = Promise.race([read(), died]);
      // A request that waits for a decision doesn't keep the server from coming to rest.
      const answer = await (how === 'background' ? answering : activity.track(answering));
      if (answer === undefined || simulated.isDead()) return undefined;
      const { status, headers: sent, text } = answer;
      const isJson = sent.get('content-type')?.includes('json') === true;
      return { status, headers: sent, text, body: JSON.parse(isJson && text !== '' ? text : '{}') as Fields };
    },
    kill(after) {
      const { simulated } = nextProcess();
      if (after === 0) simulated.die();
      else simulated.dieAfter(after);
    },
    async revive() {
      let hasDied = false;
      for (const [at, { simulated }] of running.entries()) {
        if (!simulated.isDead()) continue;
        hasDied = true;
        running[at] = await start();
      }
      return hasDied && ((await home.revive()) || true);
    },
    async spare() {
      for (const { simulated } of running) simulated.dieAfter(Infinity);
      await home.revive();
    },
    settle: () => activity.settle(),
    async close() {
      for (const { simulated } of running) simulated.die();
      await setImmediate();
      await Promise.all([...stores].map((each) => each.close()));
      rmSync(base, { recursive: true, force: true });
    },
  };
  return home;
}
