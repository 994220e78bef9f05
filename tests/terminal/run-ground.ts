import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient, type Client } from '@countersign/client';
import { channelFetch } from '@countersign/server/channel';
import { sharedSandbox } from '../support/shared-sandbox.js';
import { freePort } from '../../packages/server/src/testing/free-port.js';
import { makeFolder } from '../support/make-folder.js';
import { runAlone, type Ran } from './harbour-server.js';

const command = fileURLToPath(new URL('../../packages/countersign/bin/countersign.js', import.meta.url));
const sandbox = await sharedSandbox();
/** Whether this machine can run programs in drafts. */
export const canRun = sandbox.kind === 'bubblewrap' && sandbox.drafting.how !== 'copy';

/** A `countersign` in another process. */
export interface Running {
  readonly process: ChildProcessWithoutNullStreams;
  /** Its output so far. */
  readonly said: () => { readonly stdout: string; readonly stderr: string };
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
}

/** A server in another process, and commands that use it, in a home of their own. */
export interface RunGround {
  readonly path: string;
  /** Of its commands. */
  readonly env: Record<string, string>;
  /** The server's PID. */
  pid(): number;
  /** Its client: another one after each start. */
  client(): Client;
  start(project: string, ...words: readonly string[]): Running;
  /** Like `start`, but in this process, for commands that start no program. A process takes most of a second of CPU. */
  here(project: string, ...words: readonly string[]): Promise<Ran>;
  killCommands(): void;
  startServer(): Promise<void>;
  killServer(): Promise<void>;
  close(): Promise<void>;
}

/** `variables`: more of them for the commands. */
export async function openRunGround(variables: Readonly<Record<string, string>> = {}): Promise<RunGround> {
  const folder = await makeFolder();
  const port = await freePort();
  const at = (name: string): string => join(folder.path, name);
  const env: Record<string, string> = {
    ...variables,
    PATH: process.env['PATH'] ?? '',
    HOME: folder.path,
    COUNTERSIGN_HOME: at('home'),
    // Drafts of other servers must not be swept.
    XDG_CACHE_HOME: at('cache'),
  };
  let server: ChildProcess;
  let client: Client;
  const running: ChildProcess[] = [];
  const startServer = async (): Promise<void> => {
    const started = spawn(process.execPath, [command, 'serve', '--json', '--no-open', '--port', String(port)], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    server = started;
    await once(started.stdout, 'data');
    const token = readFileSync(at('home/token'), 'utf8').trim();
    client = createClient({ url: `http://127.0.0.1:${port}`, token, fetch: channelFetch(token) });
  };
  const killServer = async (): Promise<void> => {
    server.kill('SIGKILL');
    await once(server, 'exit');
  };
  const killCommands = (): void => {
    for (const one of running.splice(0)) one.kill('SIGKILL');
  };
  await startServer();
  return {
    path: folder.path,
    env,
    pid: () => server.pid ?? 0,
    client: () => client,
    start(project, ...words) {
      const child = spawn(process.execPath, [command, ...words], { cwd: project, env });
      running.push(child);
      let stdout = '';
      let stderr = '';
      child.stdout.setEncoding('utf8').on('data', (piece: string) => (stdout += piece));
      child.stderr.setEncoding('utf8').on('data', (piece: string) => (stderr += piece));
      const ended = once(child, 'close').then(([code]) => ({ stdout, stderr, code: code as number | null }));
      return { process: child, said: () => ({ stdout, stderr }), ended };
    },
    async here(project, ...words) {
      const from = process.cwd();
      process.chdir(project);
      try {
        return await runAlone(words, env);
      } finally {
        process.chdir(from);
      }
    },
    killCommands,
    startServer,
    killServer,
    async close() {
      killCommands();
      await killServer();
      await folder.remove();
    },
  };
}
