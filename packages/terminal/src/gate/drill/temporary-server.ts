import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { drill } from '../../words/gate.js';
import type { RunAs } from './managed-scene.js';

export interface TemporaryServer {
  readonly url: string;
  readonly token: string;
  kill(): Promise<void>;
  /** Starts it again on the same port and data. */
  restart(): Promise<void>;
}

const START_MS = 60_000;

/** Starts `countersign serve` as a process of its own, so that it can be killed. */
export async function startTemporaryServer(
  home: string,
  env: Readonly<Record<string, string>>,
  runAs?: RunAs,
): Promise<TemporaryServer> {
  let { child, url, token } = await start(home, env, '0', runAs);
  return {
    url,
    token,
    kill: async () => await kill(child),
    async restart() {
      await kill(child);
      ({ child, url, token } = await start(home, env, new URL(url).port, runAs));
    },
  };
}

async function start(
  home: string,
  env: Readonly<Record<string, string>>,
  port: string,
  runAs?: RunAs,
): Promise<{ child: ChildProcess; url: string; token: string }> {
  const words = [
    process.argv[1] ?? '',
    'serve',
    '--home',
    home,
    '--port',
    port,
    '--allow-host',
    '127.0.0.1',
    '--no-open',
    '--json',
  ];
  const child = spawn(process.execPath, words, { env, ...runAs, stdio: ['ignore', 'pipe', 'pipe'] });
  let problem = '';
  child.stderr.on('data', (chunk: Buffer) => (problem += chunk.toString()));
  const lines = createInterface({ input: child.stdout });
  const line = await Promise.race([
    once(lines, 'line', { signal: AbortSignal.timeout(START_MS) }).then(([text]) => String(text)),
    once(child, 'exit').then(() => undefined),
  ]);
  if (line === undefined) throw new Error(drill.serveFailed(problem.trim()));
  const { url, token } = JSON.parse(line) as { url: string; token: string };
  return { child, url, token };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
