import { spawn } from 'node:child_process';
import { createWriteStream, openSync, closeSync } from 'node:fs';
import { once } from 'node:events';
import { Buffer } from 'node:buffer';
import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { findSystemProgram, SYSTEM_PATH } from '../files/system-program.js';

/** Git could not do what we asked. The message is what it printed. */
export class GitFailed extends Error {
  override readonly name = 'GitFailed';
}

/** Nothing that a repository or a person configures runs: no hooks, no file system monitor, no transport, no maintenance. */
export const SAFE_SETTINGS: readonly string[] = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.commitGraph=false',
  'core.multiPackIndex=false',
  'core.packedGitLimit=1g',
  'pack.threads=1',
  'protocol.allow=never',
  'gc.auto=0',
  'maintenance.auto=false',
  'safe.directory=*',
  'advice.graftFileDeprecated=false',
].flatMap((setting) => ['-c', setting]);

/** Without the configuration of the user and the system, and without objects in the place of others. */
export const CLEAN_ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: SYSTEM_PATH,
  HOME: '/nonexistent',
  LC_ALL: 'C',
  TZ: 'UTC',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_GRAFT_FILE: '/dev/null',
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_AUTHOR_NAME: 'Countersign',
  GIT_AUTHOR_EMAIL: 'countersign@localhost',
  GIT_COMMITTER_NAME: 'Countersign',
  GIT_COMMITTER_EMAIL: 'countersign@localhost',
};

/** For Git to read the person's own settings, and not those that a variable such as `GIT_DIR` names. */
export function personalEnvironment(
  variables: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const files = ['XDG_CONFIG_HOME', 'GIT_CONFIG_GLOBAL'].flatMap((name): [string, string][] => {
    const value = variables[name] ?? '';
    return isAbsolute(value) ? [[name, value]] : [];
  });
  return { HOME: variables['HOME'] ?? homedir(), PATH: SYSTEM_PATH, LC_ALL: 'C', ...Object.fromEntries(files) };
}

const TIMEOUT_MS = 10 * 60_000;
const MAX_BYTES = 256 * 1024 * 1024;
/** Of address space: a small pack can hold objects that are larger than memory. */
const MEMORY_KB = 6 * 1024 * 1024;
const LIMITED = `ulimit -v ${MEMORY_KB}; exec "$@"`;

export interface GitOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Written to stdin. */
  readonly input?: string | Uint8Array;
  /** The file to read as stdin. */
  readonly from?: string;
  /** The file that gets the output. */
  readonly to?: string;
  /** In place of the clean environment, to read the person's own settings. */
  readonly personal?: Readonly<Record<string, string>>;
  /** Exit codes besides 0 that are no failure. */
  readonly codes?: readonly number[];
}

/** Runs Git outside the sandbox, with a clean environment, and returns its output. Rejects with `GitFailed`. */
export async function runGit(words: readonly string[], options: GitOptions = {}): Promise<Buffer> {
  const program = findSystemProgram('git');
  if (program === undefined) throw new GitFailed('Git is not installed in a system folder');
  return await runProgram(['/bin/sh', '-c', LIMITED, 'git', program, ...SAFE_SETTINGS, ...words], {
    ...options,
    env: options.personal ?? { ...CLEAN_ENVIRONMENT, ...options.env },
  });
}

/** Runs a program to its end. Rejects with `GitFailed` and what it printed to stderr. */
export async function runProgram(
  [program = '', ...words]: readonly string[],
  { cwd = '/', env = {}, input, from, to, codes = [] }: GitOptions,
): Promise<Buffer> {
  const stdin = from === undefined ? undefined : openSync(from, 'r');
  try {
    const child = spawn(program, words, {
      cwd,
      env,
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
      stdio: [stdin ?? 'pipe', 'pipe', 'pipe'],
    });
    const ended = once(child, 'close') as Promise<[number | null, string | null]>;
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-2_000)));
    // It may end before it has read everything.
    child.stdin?.on('error', () => undefined).end(input);
    const parts: Buffer[] = [];
    let bytes = 0;
    const written =
      to === undefined || child.stdout === null
        ? undefined
        : pipeline(child.stdout, createWriteStream(to, { mode: 0o600, flags: 'wx' }));
    if (written === undefined)
      child.stdout?.on('data', (part: Buffer) => {
        bytes += part.length;
        if (bytes > MAX_BYTES) child.kill('SIGKILL');
        else parts.push(part);
      });
    const [[code]] = await Promise.all([ended, written]);
    if (code === null || (code !== 0 && !codes.includes(code)))
      throw new GitFailed(said.trim() === '' ? `Git ended with ${code ?? 'a signal'}` : said.trim());
    return Buffer.concat(parts);
  } finally {
    if (stdin !== undefined) closeSync(stdin);
  }
}

/** Runs a program in a sandbox without network. It sees the system's programs, an empty `/tmp` and what the options name, all read-only. */
export type InSandbox = (
  words: readonly string[],
  how: Pick<GitOptions, 'input' | 'to'> & {
    /**
     * Shown in place of the working folder, and the current folder. `now`: the draft over the folder as it is. `start`: the refs of the folder when
     * the run started (`keepStartRefs`). `refs`: the draft over these.
     */
    readonly draft?: 'now' | 'start' | 'refs';
    /** Folders outside, and where they are shown, below `/tmp`. */
    readonly show?: readonly { readonly from: string; readonly at: string }[];
  },
) => Promise<Buffer>;

/** The words that run a shell script in the sandbox with Git's clean environment. */
export function sandboxScript(script: string, words: readonly string[] = []): string[] {
  const variables = Object.entries({ ...CLEAN_ENVIRONMENT, HOME: '/tmp', ALL: SAFE_SETTINGS.join(' ') });
  return [
    ...['/usr/bin/env', '-i', ...variables.map(([name, value]) => `${name}=${value}`)],
    ...['/bin/sh', '-c', `set -eu\n${script}`, 'git', ...words],
  ];
}
