import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { AcpSettings } from '@countersign/protocol';
import { isFolder, isInside, isProgram, realPath } from '@countersign/changes';
import type { Sandbox } from '../sandbox/sandbox.js';
import { cleanEnvironment } from '../shell/clean-environment.js';
import { endProgram, exitOf, MARK, startWatchdog } from '../shell/watchdog.js';
import { askArguments, ASK_VARIABLES } from './ask-always.js';

/** The running program of an ACP agent. */
export interface AgentProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** How the program ended, as text. */
  readonly exited: Promise<string>;
  /** The end of what it wrote to standard error. */
  complaints(): string;
  /** Ends the program and its children, killing them if necessary. */
  end(): Promise<void>;
}

const LONGEST_COMPLAINT = 2_000;

/** Where the programs of agents run. */
export interface AgentPlace {
  /** Default: that of this process. */
  env?: NodeJS.ProcessEnv;
  /** Hides the paths and our own process from the program, if it is bubblewrap (EXT3.14). */
  sandbox?: Sandbox;
  hide?: readonly string[];
}

/**
 * Starts the program of an ACP agent in the working folder, outside the sandbox, with a clean environment and the variables that its settings
 * name. Throws a readable error if it can't be started.
 */
export async function startAgent(
  acp: AcpSettings,
  workingDirectory: string,
  place: AgentPlace = {},
): Promise<AgentProcess> {
  const { env = process.env } = place;
  const [name = '', ...args] = acp.command;
  const clean = cleanEnvironment(homedir(), env['PATH'] ?? '');
  const folders = (clean['PATH'] ?? '').split(delimiter).filter((folder) => !isInside(workingDirectory, folder));
  const program = findProgram(name, folders, workingDirectory);
  const passed = (acp.env ?? []).flatMap((variable) => {
    const value = env[variable];
    return value === undefined ? [] : [[variable, value] as const];
  });
  const mark = crypto.randomUUID();
  const ask = await askArguments(acp);
  const [started, ...words] = withoutOurs([program, ...args, ...ask.arguments], place);
  const child = spawn(started ?? program, words, {
    cwd: workingDirectory,
    env: {
      ...clean,
      PATH: folders.join(delimiter),
      TMPDIR: tmpdir(),
      ...Object.fromEntries(passed),
      ...ASK_VARIABLES,
      [MARK]: mark,
    },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const exited = exitOf(child);
  const { stdin, stdout, stderr, pid } = child;
  for (const stream of [stdin, stdout, stderr]) stream.on('error', () => undefined);
  if (pid === undefined) {
    if (ask.folder !== undefined) await rm(ask.folder, { recursive: true, force: true });
    throw new Error(`"${name}" ${await exited}`);
  }
  // Without it, the program would outlive a killed server.
  const watchdog = startWatchdog(pid, mark, ask.folder);
  let complaints = '';
  stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints = (complaints + text).slice(-LONGEST_COMPLAINT);
  });
  let ending: Promise<void> | undefined;
  void exited.then(() => watchdog.sweep());
  return {
    stdin,
    stdout,
    exited,
    complaints: () => complaints.trim(),
    end: () => (ending ??= endProgram(child, exited, watchdog)),
  };
}

/** The command, in a view of the machine without our files, drafts and processes, in which credentials are. The rest is as without it. */
function withoutOurs(command: readonly string[], { sandbox, hide = [] }: AgentPlace): readonly string[] {
  if (sandbox?.kind !== 'bubblewrap') return command;
  const covers = [...hide, sandbox.drafting.folder].flatMap((path) => {
    const real = realPath(path);
    if (real === undefined) return [];
    return isFolder(real) ? ['--tmpfs', real] : ['--ro-bind', '/dev/null', real];
  });
  const view = ['--dev-bind', '/', '/', ...covers, '--unshare-pid', '--proc', '/proc', '--die-with-parent'];
  return [sandbox.program, ...view, '--', ...command];
}

/** Never a program in the working folder: an agent may have written it. */
function findProgram(name: string, folders: readonly string[], workingDirectory: string): string {
  const candidates = isAbsolute(name) ? [name] : folders.map((folder) => join(folder, name));
  const found = candidates.find((file) => isProgram(file));
  if (found === undefined)
    throw new Error(
      isAbsolute(name)
        ? `The program ${name} doesn't exist on the server, or isn't executable.`
        : `The program "${name}" isn't on the server's PATH, where folders inside node_modules don't count. Install it, or give its absolute path.`,
    );
  if (isInside(workingDirectory, realPath(found) ?? found))
    throw new Error(`The program ${found} is in the working folder, where agents can change it. Install it elsewhere.`);
  return found;
}
