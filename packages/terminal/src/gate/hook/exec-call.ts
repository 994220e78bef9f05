import type * as ChildProcess from 'node:child_process';
import { realpathSync, writeSync } from 'node:fs';
import { constants, homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { plainLine } from '../../text/plain-text.js';
import { gateHook as texts } from '../../words/gate.js';
import { takeNoteOf } from './call-notes.js';
import { hookServer } from './hook-server.js';
import { readHookConfig } from './run-hook.js';

/** What a shell answers if a command can't be run. */
const NOT_RUN = 126;
const STDERR = 2;

/** Those of a terminal reach every process of the group, so the command has them already. */
const FROM_TERMINAL = ['SIGINT', 'SIGQUIT'] as const;
const FORWARDED = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const;

/** Runs `countersign gate exec` in its own process (X9.11). */
export async function execMain(words: readonly string[]): Promise<void> {
  process.exit(await execCall(words, process.env));
}

/** Runs the command of an approved call, once, and returns its exit code. Never rejects. */
export async function execCall(words: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  try {
    const options = { home: { type: 'string' } } as const;
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true });
    const home = values.home ?? env['COUNTERSIGN_HOME'] ?? join(homedir(), '.countersign');
    return await runInShell(await fetchCommand(resolve(home), positionals[0] ?? '', process.cwd()));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    writeSync(STDERR, `${plainLine(texts.notRun(reason))}\n`);
    return NOT_RUN;
  }
}

/** The command as the server has it. Takes the call's note first, so that of two processes only one gets it. */
async function fetchCommand(home: string, id: string, folder: string): Promise<string> {
  const note = takeNoteOf(home, id);
  if (note?.folder === undefined) throw new Error(texts.noSuchCall);
  if (realpathSync(note.folder) !== realpathSync(folder)) throw new Error(texts.otherFolder(note.folder));
  const { state, arguments: approved } = await hookServer(readHookConfig(home, 'gemini'), () => undefined).wait(id, 0);
  const command = approved?.['command'];
  if (state !== 'allowed' || typeof command !== 'string') throw new Error(texts.noSuchCall);
  return command;
}

/** In the shell that Gemini CLI uses, with our input and output. */
async function runInShell(command: string): Promise<number> {
  // Loaded here, because the hook is in the same bundle and doesn't need it.
  const { spawn }: typeof ChildProcess = process.getBuiltinModule('node:child_process');
  const child = spawn('bash', ['-c', command], { stdio: 'inherit' });
  for (const signal of FORWARDED) process.on(signal, () => child.kill(signal));
  for (const signal of FROM_TERMINAL) process.on(signal, () => undefined);
  return await new Promise((done, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => done(signal === null ? (code ?? NOT_RUN) : 128 + constants.signals[signal]));
  });
}
