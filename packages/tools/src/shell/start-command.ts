import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Server } from 'node:net';
import { constants } from 'node:os';
import type { Duplex, Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { Confined } from '../sandbox/confine.js';
import { STATUS_FD } from '../sandbox/start-arguments.js';
import type { Gateway } from '../sandbox/gateway/gateway.js';
import { LISTEN } from '../sandbox/gateway/listen-scripts.js';
import { systemProgram } from '@countersign/changes';
import { openPipes } from './open-pipe.js';
import { MARK, startWatchdog, type Watchdog } from './watchdog.js';

/**
 * Runs in the sandbox before the command: reports that it is ready, waits for our answer and closes inherited
 * descriptors. If we die first, nothing runs. The process limit covers only the sandbox and never applies to root.
 */
const GATE = `
if [[ -n $5 ]]; then
  "$5" -e "$6" || exit 125
  unset NODE_CHANNEL_FD NODE_CHANNEL_SERIALIZATION_MODE
fi
printf . >&3 && read -r _ <&3 || exit 125
for fd in /dev/fd/*; do
  fd=\${fd##*/}
  [[ $fd == [012] ]] || eval "exec $fd>&-"
done
ulimit -c 0
[[ -z $2 ]] || ulimit -u "$2" 2> /dev/null
[[ -z $3 ]] || ulimit -f "$3" 2> /dev/null
[[ -z $4 ]] || ulimit -t "$4" 2> /dev/null
exec bash --noprofile --norc -c "$1"
`;

export interface StartedCommand {
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The exit code, as in shells: 128 plus the signal number if the command was killed. */
  readonly exited: Promise<number>;
  /** The first process in the sandbox, if there is one. */
  readonly inner: number | undefined;
  /** Sends SIGTERM to every process. */
  terminate(): void;
  /** Kills every process and resolves when all are dead. Must always be called when the command has ended. */
  sweep(): Promise<void>;
}

/** Thrown if no part of the command ran, so that retrying is safe. */
export class NotStarted extends Error {
  override readonly name = 'NotStarted';
}

export interface CommandStart {
  text: string;
  workingDirectory: string;
  environment: Record<string, string>;
  confined: Confined | undefined;
  /** An empty folder for this call. */
  temporary: string;
  /** Applies only in a sandbox; elsewhere, all of the user's processes would count. */
  maxProcesses: number;
  /** The limit per file, in a sandbox with a draft: a larger file exceeds the draft's limit. */
  maxFileBytes: number;
  /** The limit per process, if there is one. */
  maxCpuMs?: number | undefined;
}

/** Starts a bash script in its own session, which can't outlive us. Rejects with `NotStarted` if that fails. */
export async function startCommand(start: CommandStart): Promise<StartedCommand> {
  const { confined, environment, workingDirectory } = start;
  const pipes = await openPipes(start.temporary);
  const contained = confined?.containsProcesses === true;
  const most = contained ? String(start.maxProcesses) : '';
  // In blocks of 1,024 bytes, plus one: a file truncated there exceeds the draft's limit, so nothing is applied.
  const blocks = contained ? String(Math.floor(start.maxFileBytes / 1024) + 1) : '';
  // More than the limit of all processes together, which is noticed first and stops the command.
  const cpuSeconds = start.maxCpuMs === undefined ? '' : String(Math.ceil(start.maxCpuMs / 1000) + 1);
  const gateway = confined?.gateway;
  const listen = gateway === undefined ? [] : [process.execPath, LISTEN];
  const bash = [
    systemProgram('bash'),
    '--noprofile',
    '--norc',
    '-c',
    GATE,
    'bash',
    start.text,
    most,
    blocks,
    cpuSeconds,
    ...listen,
  ] as const;
  const [program, ...words] =
    confined === undefined ? bash : ([confined.program, ...confined.before, ...bash] as const);
  const mark = crypto.randomUUID();
  const child = spawn(program, words, {
    cwd: workingDirectory,
    env: {
      ...environment,
      ...(contained ? {} : { [MARK]: mark }),
    },
    detached: true,
    stdio: [
      ...(['ignore', pipes.stdout.writer, pipes.stderr.writer, 'pipe', contained ? 'pipe' : 'ignore'] as const),
      ...(gateway === undefined ? [] : (['ignore', 'ipc'] as const)),
    ],
  });
  pipes.stdout.closeWriter();
  pipes.stderr.closeWriter();
  const exited = exitOf(child);
  const gate = child.stdio[3] as Duplex;
  gate.on('error', () => undefined);
  let inner: number | undefined;
  try {
    const opened = gateway === undefined ? undefined : openFor(child, gateway);
    const first = contained ? readInnerPid(child.stdio[STATUS_FD] as Readable) : undefined;
    const ready = Promise.all([first, once(gate, 'data'), opened]);
    const started = await Promise.race([ready, exited.then(() => undefined)]);
    if (started === undefined || child.pid === undefined) throw new Error('it could not be started');
    [inner] = started;
  } catch {
    const said = await readAll(pipes.stderr.reader);
    pipes.stdout.reader.destroy();
    const why = said.trim() === '' ? 'bash could not be started' : said.trim();
    throw new NotStarted(`nothing ran: ${confined === undefined ? '' : 'the sandbox could not be set up: '}${why}`);
  }
  const watchdog = contained ? undefined : startWatchdog(child.pid, mark);
  gate.end('go\n');
  return {
    stdout: pipes.stdout.reader,
    stderr: pipes.stderr.reader,
    exited,
    inner,
    terminate: () => signalGroup(inner ?? child.pid, 'SIGTERM'),
    sweep: () => sweep(child, exited, inner, watchdog),
  };
}

/** Opens the gateway, then closes the channel: a program could use it to impersonate our own process. */
async function openFor(child: ChildProcess, gateway: Gateway): Promise<void> {
  const [, listener] = (await once(child, 'message')) as [unknown, unknown];
  child.disconnect();
  if (!(listener instanceof Server)) throw new Error('nothing is listening');
  gateway.serve(listener);
}

async function sweep(
  child: ChildProcess,
  exited: Promise<number>,
  inner: number | undefined,
  watchdog: Watchdog | undefined,
): Promise<void> {
  // In a sandbox, everything dies with the process we started; without one, the watchdog kills the rest.
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  await Promise.all([exited, watchdog?.sweep()]);
  if (inner !== undefined) await untilDead(inner);
}

/**
 * The sandbox's init process is dead only when all others in it are. The process we started may exit earlier, and
 * survivors would write to the draft while it is inspected.
 */
export async function untilDead(pid: number): Promise<void> {
  for (;;) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    // The state follows the name, which is in parentheses and may contain anything.
    const state = stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
    if (stat === '' || state === 'Z' || state === 'X') return;
    await setTimeout(1);
  }
}

async function exitOf(child: ChildProcess): Promise<number> {
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
  } catch {
    // The program failed to start.
    return 127;
  }
}

/**
 * The first line of bubblewrap's status has the PID, in our namespace, of the sandbox's init process. Other lines are
 * ignored.
 */
export async function readInnerPid(status: Readable): Promise<number> {
  let text = '';
  status.setEncoding('utf8').on('error', () => undefined);
  return await new Promise((resolve) => {
    status.on('data', (chunk: string) => {
      text = (text + chunk).slice(0, 10_000);
      const found = /"child-pid":\s*(\d+)/.exec(text)?.[1];
      if (found !== undefined) resolve(Number(found));
    });
  });
}

function signalGroup(group: number | undefined, signal: NodeJS.Signals): void {
  if (group === undefined) return;
  try {
    process.kill(-group, signal);
  } catch {
    // Already gone.
  }
}

export async function readAll(stream: Readable): Promise<string> {
  let text = '';
  for await (const chunk of stream) text = (text + String(chunk)).slice(0, 2_000);
  return text;
}
