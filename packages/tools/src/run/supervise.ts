import { mkdir, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Clock } from '@countersign/core/ports';
import type { EndedRun, RunEnd, StartedRun } from '@countersign/protocol';
import { findIdentity, isInside, writeEnded } from '@countersign/changes';
import { placeArguments, writeArguments } from '../sandbox/draft/drafting.js';
import { hostSockets } from '../sandbox/host-sockets.js';
import { startArguments } from '../sandbox/start-arguments.js';
import { findCgroupParent, openCgroup } from './cgroup.js';
import { runEnvironment } from './environment.js';
import { findRunPrograms } from './find-run-programs.js';
import type { AgentHome } from './home/types.js';
import { RUN_LIMITS, watchRun, type RunLimits } from './limits.js';
import type { RunNetwork } from './network/types.js';
import { connectIo, type ConnectedIo, type RunIo } from './connect-io.js';
import { foldersOfRun } from './run-folder.js';
import { readRunSandbox } from './run-sandbox.js';
import { findPrivateInSystem } from './system-view.js';
import { startProgram, type StartedProgram } from './start-program.js';
import { seesIn, viewArguments, type RunView } from './view.js';

export type RunSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

export interface Supervised {
  readonly started: StartedRun;
  /** The program and its arguments. */
  readonly words: readonly string[];
  /** Where the program starts: the folder, or a folder in it. */
  readonly directory?: string;
  readonly io: RunIo;
  readonly clock: Clock;
  /** The person's environment. Only harmless variables are passed on. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Called at once, because it takes a while. Without it, the program has no network. */
  readonly openNetwork?: () => Promise<RunNetwork>;
  /** Started already. See `findPrivateInSystem`. */
  readonly privateInSystem?: Promise<readonly string[]> | undefined;
  readonly home: AgentHome;
  /** Variables that the agent needs. */
  readonly agentEnvironment?: Readonly<Record<string, string>>;
  /** Other real paths to show, read-only. */
  readonly show?: readonly string[];
  readonly limits?: RunLimits;
  /** Sentences for the card. */
  readonly notes?: readonly string[];
  /** Called when the program has started. */
  readonly onStarted?: (() => void) | undefined;
  /** Calls back for each signal that this process gets. Returns a function that stops it. */
  readonly onSignal: (heard: (signal: RunSignal) => void) => () => void;
}

/** How long the program has to end after it was told to. */
export const GRACE_MS = 2_000;

/**
 * Runs a program in a draft of the working folder until all its processes are dead, then writes how it ended. Applies nothing, and can't: only the
 * server does, after somebody has signed. If this process is killed, all of the run's processes die with it. Rejects if nothing ran.
 */
export async function supervise(run: Supervised): Promise<EndedRun> {
  const { started, openNetwork, home, limits = RUN_LIMITS, notes = [] } = run;
  const opening = openNetwork?.();
  opening?.catch(() => undefined);
  const parent = findCgroupParent();
  const cgroup = parent === undefined ? undefined : openCgroup(parent, started.id, limits);
  let connecting: Promise<ConnectedIo> | undefined;
  try {
    const temporary = join(started.root, 'view');
    await mkdir(temporary, { mode: 0o700 });
    connecting = connectIo(run.io, temporary);
    connecting.catch(() => undefined);
    const { words, environment, passed } = await prepare(run, temporary, opening);
    const network = await opening;
    const io = await connecting;
    const program = await startProgram({
      ...{ sandbox: [...(cgroup?.before ?? []), ...words], words: run.words, environment, limits },
      io: io.descriptors,
    });
    io.connected();
    run.onStarted?.();
    const ended = await untilEnded(program, run, { limits, isLimited: cgroup !== undefined });
    const why = cgroup?.whyEnded() ?? ended.why;
    await io.drained();
    // What the program left there must not prevent the account of its end.
    const login = await home.keep().catch(() => 'lost' as const);
    const result: EndedRun = {
      ...ended,
      why,
      hosts: [...(network?.tried() ?? [])],
      variables: [...passed],
      ports: [...(network?.ports ?? [])],
      notes: [...notes, ...(network?.notes() ?? []), ...(STOPPED[why] ?? []), ...(login === 'lost' ? [NOT_KEPT] : [])],
      ...(login === undefined || login === 'lost' ? {} : { login }),
    };
    await writeEnded(started.root, result);
    return result;
  } finally {
    (await connecting?.catch(() => undefined))?.close();
    cgroup?.remove();
    await (await opening?.catch(() => undefined))?.close();
  }
}

const NOT_KEPT = 'Its home could not be read, so its sessions and its login were not kept.';
/** For the card. */
const STOPPED: Partial<Record<RunEnd, readonly string[]>> = {
  time: ['The program was stopped, because it ran for too long.'],
  bytes: ['The program was stopped, because it wrote too much or the disk was full.'],
  files: ['The program was stopped, because it wrote too many files.'],
  memory: ['The program was stopped, because it used too much memory.'],
  processes: ['The program was stopped, because it started too many processes.'],
  stopped: ['The program was stopped by a signal.'],
};

interface Prepared {
  /** Before the program's own words. */
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly passed: readonly string[];
}

async function prepare(
  {
    started,
    directory,
    environment,
    home,
    agentEnvironment,
    show = [],
    privateInSystem = findPrivateInSystem(),
  }: Supervised,
  temporary: string,
  opening: Promise<RunNetwork> | undefined,
): Promise<Prepared> {
  const sandbox = readRunSandbox(started.sandbox);
  const { drafting } = sandbox;
  const { folder, root, hidden } = started;
  const folders = foldersOfRun(root);
  const personal = await realpath(homedir()).catch(() => homedir());
  const programs = findRunPrograms({
    path: environment['PATH'] ?? '',
    home: personal,
    avoid: [folder, dirname(root)],
  });
  const at = home.environment['HOME'] ?? personal;
  const about = { folder, programs, show, home: { at, place: home.place } };
  const sees = seesIn(about);
  // A socket in the draft is another file than the one outside, so that nobody can connect to it.
  const sockets = (await hostSockets()).filter((path) => !isInside(folder, path));
  const view: RunView = {
    ...about,
    sandbox,
    directory: directory ?? folder,
    place: placeArguments(drafting, folders, folder),
    hidden: [...hidden, ...sockets],
    privateInSystem,
    hasNetwork: opening !== undefined,
    temporary,
  };
  const [{ before, after }, viewWords, identity, network] = await Promise.all([
    startArguments(temporary),
    viewArguments(view),
    findIdentity(folder, environment),
    opening,
  ]);
  const status = ['--json-status-fd', '4'];
  const words = [
    ...before,
    ...(network?.before ?? []),
    ...writeArguments(drafting, folders, folder),
    ...[sandbox.program, ...after, ...status],
    ...viewWords,
  ];
  const own = { ...programs.environment, ...network?.environment, ...home.environment, ...agentEnvironment };
  const { values, passed } = runEnvironment(environment, { home: at, sees, own, identity });
  return { words, environment: values, passed };
}

/** Resolves when every process is dead. */
async function untilEnded(
  program: StartedProgram,
  { started: { root }, io, onSignal, clock }: Supervised,
  { limits, isLimited }: { limits: RunLimits; isLimited: boolean },
): Promise<Pick<EndedRun, 'exitCode' | 'why'>> {
  let why: RunEnd = 'exited';
  let interrupts = 0;
  let cancel = (): void => undefined;
  const stop = (signal: RunSignal): void => {
    why = 'stopped';
    program.signal(signal);
    cancel();
    cancel = clock.after(GRACE_MS, () => void program.kill());
  };
  const stopListening = onSignal((signal) => {
    interrupts += signal === 'SIGINT' ? 1 : 0;
    // The first Ctrl-C is the program's business. In a terminal, it gets all of them as keys.
    if (signal === 'SIGINT' && interrupts === 1 && io.kind === 'pipes') program.signal(signal);
    else stop(signal);
  });
  const stopWatching = watchRun({
    ...{ inner: program.inner, folders: [join(root, 'upper'), join(root, 'home')], limits, isLimited, clock },
    exceeded(reason) {
      why = reason;
      void program.kill();
    },
  });
  try {
    const exitCode = await program.exited;
    await program.kill();
    return { exitCode, why };
  } finally {
    stopWatching();
    stopListening();
    cancel();
  }
}
