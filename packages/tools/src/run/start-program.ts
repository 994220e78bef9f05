import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Duplex, Readable } from 'node:stream';
import { STATUS_FD } from '../sandbox/start-arguments.js';
import { systemProgram } from '@countersign/changes';
import { readAll, readInnerPid, untilDead } from '../shell/start-command.js';

/**
 * Runs in the sandbox before the program: says whether the program exists, waits for our answer and closes inherited descriptors. If we die
 * first, nothing runs. The program's own descriptors are 6 to 8 until then: a shell that starts the sandbox would make a terminal at 0 its own.
 */
const GATE = `
type -P -- "$4" > /dev/null && found=1 || found=0
printf %s "$found" >&3 && read -r answer <&3 && [[ $answer == go ]] || exit 125
exec <&6 >&7 2>&8 || exit 125
start=$1 most=$2 blocks=$3
shift 3
for fd in /dev/fd/*; do
  fd=\${fd##*/}
  [[ $fd == [012] ]] || eval "exec $fd>&-"
done
ulimit -c 0
ulimit -u "$most" 2> /dev/null
ulimit -f "$blocks" 2> /dev/null
if [[ -n $start ]]; then exec setsid --ctty -- "$@"; else exec -- "$@"; fi
`;

/** The descriptors of a program's input and output. */
export interface ProgramIo {
  readonly kind: 'pipes' | 'terminal';
  readonly stdin: number;
  readonly stdout: number;
  readonly stderr: number;
}

export interface ProgramStart {
  /** The words that start the sandbox. The program's own follow them. */
  readonly sandbox: readonly string[];
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly io: ProgramIo;
  /** Of one user's processes, and of one file. Neither applies to root: see `watchRun`. */
  readonly limits: { readonly processes: number; readonly bytes: number };
}

export interface StartedProgram {
  /** Its exit code, or 128 plus the signal. Its children may still run. */
  readonly exited: Promise<number>;
  /** The first process inside. */
  readonly inner: number;
  /** Sends a signal to the processes that share the program's group. */
  signal(name: NodeJS.Signals): void;
  /** Kills every process, and resolves when all of them are dead. Must always be called when the program has ended. */
  kill(): Promise<void>;
}

/** Thrown if nothing ran. */
export class RunNotStarted extends Error {
  override readonly name = 'RunNotStarted';
}

/** Thrown if there is no such program inside. */
export class NoSuchProgram extends RunNotStarted {
  constructor(program: string) {
    super(`there is no program ${JSON.stringify(program)} that a run can see`);
  }
}

/** Starts a program that can't outlive us. Rejects with `RunNotStarted` if nothing ran. */
export async function startProgram(start: ProgramStart): Promise<StartedProgram> {
  const { io, limits, environment } = start;
  const blocks = Math.floor(limits.bytes / 1024) + 1;
  const gate = [systemProgram('bash'), '--noprofile', '--norc', '-c', GATE, 'run'];
  const settings = [io.kind === 'terminal' ? 'terminal' : '', String(limits.processes), String(blocks)];
  const [program = '', ...words] = [...start.sandbox, '--', ...gate, ...settings, ...start.words];
  const child = spawn(program, words, {
    cwd: '/',
    env: environment,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe', 'ignore', io.stdin, io.stdout, io.stderr],
  });
  const exited = exitOf(child);
  const said = child.stderr === null ? '' : readAll(child.stderr);
  const channel = child.stdio[3] as Duplex;
  channel.on('error', () => undefined);
  const ready = Promise.all([readInnerPid(child.stdio[STATUS_FD] as Readable), once(channel, 'data')]);
  const first = await Promise.race([ready, exited.then(() => undefined)]);
  if (first === undefined || child.pid === undefined)
    throw new RunNotStarted(`the run could not be set up: ${(await said).trim() || 'it ended at once'}`);
  const [inner, [found]] = first as [number, [Buffer]];
  const kill = async (): Promise<void> => {
    // Everything dies with the process that we started.
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await exited;
    await untilDead(inner);
  };
  if (found.toString() !== '1') {
    channel.end('no\n');
    await kill();
    throw new NoSuchProgram(start.words[0] ?? '');
  }
  channel.end('go\n');
  return { exited, inner, signal: (name) => signalGroup(inner, name), kill };
}

async function exitOf(child: ChildProcess): Promise<number> {
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    return code === null && signal !== null ? 128 + constants.signals[signal] : (code ?? -1);
  } catch {
    return 127;
  }
}

function signalGroup(group: number, name: NodeJS.Signals): void {
  try {
    process.kill(-group, name);
  } catch {
    // Already gone.
  }
}
