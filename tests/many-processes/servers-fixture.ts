import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createClient, type Client } from '@countersign/client';

const packages = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'packages');
const program = join(packages, 'countersign/dist/testing/bundle/stamping-server.js');
const shiftedClock = pathToFileURL(join(packages, 'server/dist/testing/shifted-clock.js')).href;
const TOKEN = 'a-token-that-all-of-them-share-0123456789abcdef';
const SECRETS_KEY = 'a-secrets-key-that-all-of-them-share-0123456789';

export interface RunningServer {
  readonly url: string;
  readonly client: Client;
  readonly pid: number;
  signal(signal: NodeJS.Signals): void;
  readonly gone: Promise<unknown>;
}

interface StartOptions {
  /** How far its clock is ahead. */
  clockShiftMs?: number;
  /** Another URL for the database. */
  databaseUrl?: string;
  /** The administrator's file. */
  rules?: readonly string[];
  /** The certificate of a push service to trust. */
  certificate?: string;
}

/** Several servers on one database without a load balancer: callers choose one. */
export interface ServerFarm {
  readonly servers: (RunningServer | undefined)[];
  start(index: number, options?: StartOptions): Promise<RunningServer>;
  readonly token: string;
  /** A client of a server that responds, or is expected to. */
  any(): Client;
  /** Stamps that ran, counted by key. */
  stamps(): Map<string, number>;
  /** The first process that ran this stamp. */
  stampedBy(key: string): number | undefined;
  /** The last errors that the servers logged. */
  errors(): string;
  close(): Promise<void>;
}

export function createFarm(databaseUrl: string, size: number): ServerFarm {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-farm-'));
  const stampFile = join(folder, 'stamps');
  const servers: (RunningServer | undefined)[] = Array.from({ length: size });
  const children = new Set<ChildProcess>();
  const wanted = new Map<number, StartOptions>();
  let said = '';

  async function start(index: number, given?: StartOptions): Promise<RunningServer> {
    // A restarted server has the same options as before.
    const options = given ?? wanted.get(index) ?? {};
    wanted.set(index, options);
    const home = join(folder, `home-${index}`);
    mkdirSync(home, { recursive: true });
    const preload = options.clockShiftMs === undefined ? [] : ['--import', shiftedClock];
    const { rules, certificate } = options;
    if (rules !== undefined) writeFileSync(join(home, 'admin.rules'), rules.join('\n'));
    const trusted = join(home, 'trusted.pem');
    if (certificate !== undefined) writeFileSync(trusted, certificate);
    const child = spawn(process.execPath, [...preload, program], {
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        COUNTERSIGN_HOME: home,
        COUNTERSIGN_TOKEN: TOKEN,
        COUNTERSIGN_SECRETS_KEY: SECRETS_KEY,
        DATABASE_URL: options.databaseUrl ?? databaseUrl,
        CLOCK_SHIFT_MS: String(options.clockShiftMs ?? 0),
        COUNTERSIGN_WORK: join(folder, 'work'),
        STAMPS: stampFile,
        ...(certificate === undefined ? {} : { NODE_EXTRA_CA_CERTS: trusted }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.add(child);
    const here: { server?: RunningServer } = {};
    const gone = once(child, 'exit').then(() => {
      children.delete(child);
      if (here.server !== undefined && servers[index] === here.server) servers[index] = undefined;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = `${said}${text}`.slice(-8_000);
    });
    const lines = createInterface({ input: child.stdout });
    const first = await Promise.race([once(lines, 'line'), gone.then(() => undefined)]);
    if (first === undefined) throw new Error(`server ${index} ended before it listened: ${said}`);
    const { url } = JSON.parse(String(first[0])) as { url: string };
    const running: RunningServer = {
      url,
      client: createClient({ url, token: TOKEN }),
      pid: child.pid ?? 0,
      signal: (signal) => child.kill(signal),
      gone,
    };
    here.server = running;
    servers[index] = running;
    return running;
  }

  return {
    servers,
    token: TOKEN,
    start,
    any() {
      const alive = servers.filter((running) => running !== undefined);
      const picked = alive[Math.floor(Math.random() * alive.length)];
      if (picked === undefined) throw new Error('no server runs');
      return picked.client;
    },
    stamps() {
      const counts = new Map<string, number>();
      for (const line of readLines(stampFile)) {
        const key = line.split(' ')[0] ?? '';
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
      return counts;
    },
    stampedBy(key) {
      const line = readLines(stampFile).find((stamp) => stamp.startsWith(`${key} `));
      return line === undefined ? undefined : Number(line.split(' ')[1]);
    },
    errors: () => said,
    async close() {
      const ends = [...children].map(async (child) => {
        const ended = once(child, 'exit');
        child.kill('SIGCONT');
        child.kill('SIGKILL');
        await ended;
      });
      await Promise.all(ends);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  } catch {
    return [];
  }
}
