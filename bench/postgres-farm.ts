import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const TOKEN = 'a-token-that-all-of-them-share-0123456789abcdef';
const SECRETS_KEY = 'a-secrets-key-that-all-of-them-share-0123456789';
const program = fileURLToPath(new URL('../../packages/server/dist/testing/stamping-server.js', import.meta.url));

/** Real server processes on one database. */
export interface Farm {
  readonly urls: readonly string[];
  ask<T>(server: number, method: string, path: string, body?: unknown): Promise<T>;
  /** Calls `heard` with the chat whenever one of a world's chats becomes idle. Returns a function that unsubscribes. */
  hearIdle(server: number, worldId: string, heard: (chatId: string) => void): Promise<() => void>;
  /** When a tool started, and in which process. */
  stampOf(key: string): { pid: number; at: number } | undefined;
  readonly pids: readonly number[];
  close(): Promise<void>;
}

/** What lets the servers reach people: a push service on this machine, and pages. */
interface ReachSettings {
  /** The administrator's file. */
  rules: string;
  certificate: string;
  /** The files of the web app. */
  webRoot: string;
}

export async function startFarm(
  databaseUrl: string,
  size: number,
  folder: string,
  reach?: ReachSettings,
): Promise<Farm> {
  mkdirSync(folder, { recursive: true });
  const stamps = join(folder, 'stamps');
  const started = await Promise.all(
    Array.from({ length: size }, async (_, index) => await startServer(databaseUrl, folder, stamps, index, reach)),
  );
  const urls = started.map(({ url }) => url);
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };

  return {
    urls,
    pids: started.map(({ child }) => child.pid ?? 0),
    async ask<T>(server: number, method: string, path: string, body?: unknown): Promise<T> {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await fetch(`${urls[server % size] ?? ''}/api${path}`, { method, headers, ...sent });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as T;
    },
    async hearIdle(server, worldId, heard) {
      const over = new AbortController();
      const response = await fetch(`${urls[server % size] ?? ''}/api/worlds/${worldId}/events`, {
        headers,
        signal: over.signal,
      });
      readFrames(response, heard).catch(() => undefined);
      return () => over.abort();
    },
    stampOf(key) {
      const line = readFileSync(stamps, 'utf8')
        .split('\n')
        .find((stamp) => stamp.startsWith(`${key} `));
      const [, pid, at] = line?.split(' ') ?? [];
      return pid === undefined || at === undefined ? undefined : { pid: Number(pid), at: Number(at) };
    },
    async close() {
      await Promise.all(
        started.map(async ({ child }) => {
          const gone = once(child, 'exit');
          child.kill('SIGKILL');
          await gone;
        }),
      );
    },
  };
}

async function startServer(
  databaseUrl: string,
  folder: string,
  stamps: string,
  index: number,
  reach: ReachSettings | undefined,
): Promise<{ url: string; child: ChildProcess }> {
  const home = join(folder, `home-${index}`);
  mkdirSync(home, { recursive: true });
  const certificate = join(home, 'trusted.pem');
  if (reach !== undefined) {
    writeFileSync(join(home, 'admin.rules'), reach.rules);
    writeFileSync(certificate, reach.certificate);
  }
  const child = spawn(process.execPath, [program], {
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      COUNTERSIGN_HOME: home,
      COUNTERSIGN_TOKEN: TOKEN,
      COUNTERSIGN_SECRETS_KEY: SECRETS_KEY,
      COUNTERSIGN_WORK: join(folder, 'work'),
      DATABASE_URL: databaseUrl,
      STAMPS: stamps,
      ...(reach === undefined ? {} : { NODE_EXTRA_CA_CERTS: certificate, WEB_ROOT: reach.webRoot }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    once(child, 'exit').then(() => Promise.reject(new Error(`server ${index} exited before it listened`))),
  ])) as [string];
  return { url: (JSON.parse(line) as { url: string }).url, child };
}

async function readFrames(response: Response, heard: (chatId: string) => void): Promise<void> {
  let text = '';
  if (response.body === null) return;
  const words: ReadableStream<string> = response.body.pipeThrough(new TextDecoderStream());
  for await (const more of words) {
    text += more;
    const frames = text.split('\n\n');
    text = frames.pop() ?? '';
    for (const frame of frames) {
      if (!frame.includes('event: world')) continue;
      const data = JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? '{}') as { type?: string; chatId?: string };
      if (data.type === 'idle' && data.chatId !== undefined) heard(data.chatId);
    }
  }
}
