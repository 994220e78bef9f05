import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { send, type Sent } from './send.js';

const command = fileURLToPath(new URL('../../../countersign/bin/countersign.js', import.meta.url));
const firstLine = z.object({ url: z.string(), token: z.string().optional(), open: z.string() });

/** A run of the real command, with its output. */
export interface Run {
  readonly process: ChildProcess;
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly stdout: () => string;
  readonly stderr: () => string;
}

export function startCommand(words: readonly string[], env: Record<string, string>): Run {
  const child = spawn(process.execPath, [command, ...words], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (text: Buffer) => {
    stdout += text.toString();
  });
  child.stderr.on('data', (text: Buffer) => {
    stderr += text.toString();
  });
  const exited = once(child, 'close').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
  }));
  return { process: child, exited, stdout: () => stdout, stderr: () => stderr };
}

/** A server in its own process, on any free port by default. */
export interface ServerProcess extends Run {
  readonly url: string;
  readonly token: string;
  readonly open: string;
  /** Sends a request with the token and returns the parsed body. */
  api<T>(path: string, schema: z.ZodType<T>, sent?: Sent): Promise<T>;
  end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

export async function startServer(
  home: string,
  { words = [], env = {} }: { words?: readonly string[]; env?: Record<string, string> } = {},
): Promise<ServerProcess> {
  const run = startCommand(['serve', '--json', '--port', '0', '--home', home, ...words], {
    HOME: dirname(home),
    ...env,
  });
  const said = new Promise<string>((resolve, reject) => {
    if (run.process.stdout === null) return;
    createInterface({ input: run.process.stdout }).once('line', resolve);
    void run.exited.then(({ code }) => reject(new Error(`the server ended with ${code}: ${run.stderr()}`)));
  });
  const { url, token = env['COUNTERSIGN_TOKEN'] ?? '', open } = firstLine.parse(JSON.parse(await said));
  return {
    ...run,
    url,
    token,
    open,
    async api(path, schema, sent = {}) {
      const headers = { authorization: `Bearer ${token}`, ...sent.headers };
      const { status, text } = await send(`${url}/api${path}`, { ...sent, headers });
      if (status >= 300) throw new Error(`${path} answered ${status}: ${text}`);
      return schema.parse(text === '' ? undefined : JSON.parse(text));
    },
    async end(signal) {
      run.process.kill(signal);
      return await run.exited;
    },
  };
}
