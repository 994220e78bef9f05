import type * as ChildProcess from 'node:child_process';
import { realpathSync, writeSync } from 'node:fs';
import { constants, homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { ExternalCall } from '@countersign/protocol';
import { plainLine } from '../../text/plain-text.js';
import { gateHook as texts } from '../../words/gate.js';
import { homeOfUser } from '../managed/managed-place.js';
import { placeOf } from './find-place.js';
import { hookServer, HookServerError } from './hook-server.js';
import { readHookConfig } from './run-hook.js';

/** What a shell answers if a command can't be run. */
const NOT_RUN = 126;
const STDERR = 2;

/** A terminal and Gemini CLI send these to every process of the group, so the command has them already. */
const SIGNALS = ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const;

/** Runs `countersign gate exec` in its own process (GATE4). */
export async function execMain(words: readonly string[]): Promise<void> {
  process.exit(await execCall(words, process.env));
}

/** Runs the command of an approved call, once, and returns its exit code. Never rejects. */
export async function execCall(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  say = (line: string): void => void writeSync(STDERR, line),
): Promise<number> {
  try {
    const options = { home: { type: 'string' }, managed: { type: 'boolean' } } as const;
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true });
    const given = values.home ?? env['COUNTERSIGN_HOME'] ?? join(homedir(), '.countersign');
    const home = values.managed === true ? homeOfUser() : given;
    return await runInShell(await fetchCommand(resolve(home), positionals[0] ?? '', process.cwd()));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    say(`${plainLine(texts.notRun(reason))}\n`);
    return NOT_RUN;
  }
}

/** The command as the server has it, which gives it out once. */
async function fetchCommand(home: string, id: string, folder: string): Promise<string> {
  const { state, arguments: approved = {}, cwd } = await fetchCall(readHookConfig(home, 'gemini'), id, folder);
  const { command, dir_path: place = '.' } = approved;
  if (state !== 'allowed' || typeof command !== 'string' || typeof place !== 'string' || cwd === undefined)
    throw new Error(texts.noSuchCall);
  const wanted = resolve(cwd, place);
  if (realpathSync(wanted) !== realpathSync(folder)) throw new Error(texts.otherFolder(wanted));
  return command;
}

/** From the world of this folder, or else from the one that has it: Gemini CLI doesn't say here in which folder it was started. */
async function fetchCall(config: ReturnType<typeof readHookConfig>, id: string, folder: string): Promise<ExternalCall> {
  const { folders = [], elsewhere } = config;
  const all = [placeOf(config, folder), ...folders, elsewhere].flatMap((place) => place?.world ?? []);
  for (const world of new Set(all))
    try {
      return await hookServer({ ...config, world }, () => undefined).fetch(id);
    } catch (error) {
      if (!(error instanceof HookServerError) || error.status !== 404) throw error;
    }
  throw new Error(texts.noSuchCall);
}

/** In the shell that Gemini CLI uses, with our input and output. */
async function runInShell(command: string): Promise<number> {
  // Loaded here, because the hook is in the same bundle and doesn't need it.
  const { spawn }: typeof ChildProcess = process.getBuiltinModule('node:child_process');
  const child = spawn('bash', ['-c', command], { stdio: 'inherit' });
  for (const signal of SIGNALS) process.on(signal, () => undefined);
  return await new Promise((done, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => done(signal === null ? (code ?? NOT_RUN) : 128 + constants.signals[signal]));
  });
}
