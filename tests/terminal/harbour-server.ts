import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createClient, type Client } from '@countersign/client';
import { defineTool, type Tool } from '@countersign/core/ports';
import { scripted, type ScriptedCall } from '@countersign/core/testing';
import { serve, type Serving } from '@countersign/server';
import { vi } from 'vitest';
import { z } from 'zod';
import { freePort } from '../../packages/server/src/testing/free-port.js';
import type { ServerAccess } from '../../packages/terminal/src/connection/server-access.js';
import { createServerAccess } from '../../packages/terminal/src/main.js';
import { runProgram } from '../../packages/terminal/src/program.js';
import { closeTerminals, openTerminal, type PseudoTerminal, type TerminalOptions } from '../support/pseudo-terminal.js';

const command = fileURLToPath(new URL('../../packages/countersign/bin/countersign.js', import.meta.url));
const TOKEN = 'a-token-that-only-this-test-knows-0123456789';

interface RunOptions {
  readonly input?: string;
  readonly env?: Record<string, string>;
  /** In this process: standard output is a terminal of this width. */
  readonly columns?: number;
  /** In this process: standard input is a terminal, too. */
  readonly inTerminal?: boolean;
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A server with an obedient model, and the real command that connects to it. */
export interface HarbourServer {
  readonly folder: string;
  readonly client: Client;
  /** The environment variables that point a command to it. */
  readonly env: Readonly<Record<string, string>>;
  readonly serving: () => Serving;
  /** The arguments of all runs of the tool `stamp`. */
  readonly runs: readonly string[];
  /** Runs the command in a terminal. */
  terminal(words: readonly string[], options?: Partial<TerminalOptions>): PseudoTerminal;
  /** Runs the command without a terminal in a separate process, with an empty stdin. */
  run(words: readonly string[], options?: RunOptions): Promise<Ran>;
  /** Like `run`, but in this process, which is much faster. */
  runHere(words: readonly string[], options?: RunOptions): Promise<Ran>;
  /** The message that makes the model request these calls. */
  asking(...calls: ScriptedCall[]): string;
  restart(): Promise<void>;
  stop(): Promise<void>;
  close(): Promise<void>;
}

export const stamp = (letter: string): ScriptedCall => ({ name: 'stamp', arguments: { letter } });

const model = scripted(({ messages }) => {
  const told = messages.findLast((message) => message.role === 'user' && message.name !== 'system');
  const text = told?.content ?? '';
  if (text.startsWith('say ')) return JSON.parse(text.slice(4)) as string;
  if (!text.startsWith('[')) return 'ok';
  const results = messages.slice(told === undefined ? 0 : messages.indexOf(told)).filter(({ role }) => role === 'tool');
  if (results.length === 0) return { calls: JSON.parse(text) as ScriptedCall[] };
  return `results: ${results.map(({ content }) => content).join(' and ')}`;
});

export async function openHarbourServer({ tools = [] }: { tools?: readonly Tool[] } = {}): Promise<HarbourServer> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-terminal-'));
  const runs: string[] = [];
  const stampTool = defineTool({
    name: 'stamp',
    description: 'Stamps a letter.',
    parameters: z.object({ letter: z.string() }),
    approval: { required: true },
    execute: ({ letter }) => {
      runs.push(letter);
      return `stamped ${letter}`;
    },
  });
  const watchTool = defineTool({
    name: 'watch',
    description: 'Looks until it is stopped.',
    parameters: z.object({}),
    execute: async (_, { signal, output }) => {
      output('looking\nfor more\nand ');
      await new Promise((resolve) => {
        signal.addEventListener('abort', resolve);
      });
      return 'seen';
    },
  });
  const quiet = (): void => undefined;
  // A reserved port, kept across restarts: the OS could give an ephemeral one to another process.
  const port = await freePort();
  const start = async (): Promise<Serving> => {
    return await serve({
      home: join(folder, 'home'),
      env: { COUNTERSIGN_TOKEN: TOKEN },
      log: { info: quiet, warn: quiet, error: quiet },
      port,
      providers: [{ ...model, name: 'obedient' }],
      tools: [stampTool, watchTool, ...tools],
      sandbox: { kind: 'none', reason: 'no command runs here' },
      ollamaUrl: 'http://127.0.0.1:9',
      version: 'test',
    });
  };
  let serving = await start();
  const { url } = serving;
  const client = createClient({ url, token: TOKEN });
  const { id } = await client.createWorld({ name: 'Docks', workingDirectory: mkdtempSync(join(folder, 'docks-')) });
  await client.createAgent(id, { name: 'Ada', provider: 'obedient', model: 'any', tools: ['*'] });
  const env = { HOME: folder, COUNTERSIGN_URL: url, COUNTERSIGN_TOKEN: TOKEN };

  return {
    folder,
    client,
    env,
    serving: () => serving,
    runs,
    terminal: (words, options = {}) => openTerminal(words, { ...options, env: { ...env, ...options.env } }),
    run: (words, options = {}) => runCommand(words, { ...options, env: { ...env, ...options.env } }),
    runHere: (words, options = {}) => runHere(words, { ...options, env: { ...env, ...options.env } }),
    asking: (...calls) => JSON.stringify(calls),
    stop: () => serving.close(),
    async restart() {
      await serving.close();
      serving = await start();
    },
    async close() {
      await closeTerminals();
      await serving.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Runs a command in this process that finds the server only through its environment. */
export async function runHere(
  words: readonly string[],
  options: RunOptions,
  known: Partial<ServerAccess> = {},
): Promise<Ran> {
  const nowhere = (): never => {
    throw new Error('this command must not look for another server');
  };
  const servers = {
    defaultHome: nowhere,
    find: nowhere,
    readToken: nowhere,
    start: nowhere,
    serve: nowhere,
    migrate: nowhere,
    resetPasskeys: nowhere,
    receiptCheck: nowhere,
    verifyCommits: nowhere,
    openBrowser: nowhere,
    probe: nowhere,
    tryAcpAgent: nowhere,
    startModel: nowhere,
    ...known,
  };
  return await runWith(servers, words, options);
}

/** Runs a command in this process. */
export async function runWith(
  servers: ServerAccess,
  words: readonly string[],
  { input = '', env = {}, inTerminal = false, columns = inTerminal ? 80 : undefined }: RunOptions,
): Promise<Ran> {
  const said = { stdout: '', stderr: '' };
  const into = (name: keyof typeof said): NodeJS.WriteStream =>
    Object.assign(
      new Writable({
        write(chunk: Buffer, _encoding, done) {
          said[name] += chunk.toString();
          done();
        },
      }),
      { isTTY: false },
    ) as unknown as NodeJS.WriteStream;
  const keys = Object.assign(Readable.from([Buffer.from(input)]), { isTTY: inTerminal, setRawMode: () => keys });
  const stdin = keys as unknown as NodeJS.ReadStream;
  const stdout = Object.assign(into('stdout'), columns === undefined ? {} : { isTTY: true, columns });
  const console = { stdin, stdout, stderr: into('stderr'), env };
  const code = await runProgram(words, { console, servers, version: 'test' });
  return { code, ...said };
}

/** Runs a command in this process with these variables, one at a time. It starts a server if it finds none. */
export async function runAlone(words: readonly string[], env: Record<string, string>): Promise<Ran> {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  try {
    return await runWith(createServerAccess({ version: 'test' }), words, { env });
  } finally {
    vi.unstubAllEnvs();
  }
}

export async function runCommand(
  words: readonly string[],
  { input = '', env }: { input?: string; env: Record<string, string> },
): Promise<Ran> {
  return await new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [command, ...words],
      { env: { PATH: process.env['PATH'] ?? '', ...env }, maxBuffer: 10_000_000 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
        resolve({ code, stdout, stderr });
      },
    );
    child.stdin?.end(input);
  });
}
