import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { systemClock, type Clock, type DraftContext, type ToolContext } from '@countersign/core/ports';
import { confine, type Confined } from '../sandbox/confine.js';
import { DRAFT_LIMITS, type DraftLimits } from '../sandbox/draft/draft-limits.js';
import { makeCallFolder } from '@countersign/changes';
import { checkWorkingFolder } from '../sandbox/find-hidden.js';
import { limitHosts } from '../sandbox/gateway/limit-hosts.js';
import { openFolders } from '../sandbox/open-folders.js';
import { explainNotFound } from '../sandbox/programs/explain-hidden.js';
import { programsFor } from '../sandbox/programs/programs-for.js';
import type { Confinement, Sandbox } from '../sandbox/sandbox.js';
import { cleanEnvironment } from './clean-environment.js';
import { runCommand, type CommandEnd } from './run-command.js';
import type { ShellOptions } from './shell-options.js';
import { NotStarted, startCommand, type StartedCommand } from './start-command.js';
import { watchUsage, type UsageLimits } from './watch-usage.js';

/** The part of a call's context that a command needs. */
export type CommandContext = Pick<
  ToolContext,
  'workingDirectory' | 'sandboxGrants' | 'withheld' | 'protectedPaths' | 'mayCreate' | 'signal' | 'output'
> &
  Partial<Pick<DraftContext, 'copy'>>;

/** A command that has ended, before its changes are applied. All its processes are dead. */
export interface EndedCommand {
  readonly ended: CommandEnd;
  /** Whether it was stopped because it wrote or used more than allowed. */
  readonly isTooLarge: boolean;
  readonly confined: Confined | undefined;
  /** Notes for the model. */
  readonly notes: readonly string[];
}

interface CommandLimits {
  options: ShellOptions;
  timeoutMs: number;
  /** Instead of those in `options`. */
  draftLimits?: DraftLimits | undefined;
  usageLimits?: UsageLimits | undefined;
  /** Ends preparing the sandbox, besides the signal of the call. */
  prepareSignal?: AbortSignal | undefined;
}

/** Runs a command, calls `act`, and cleans up. */
export async function runConfined<T>(
  text: string,
  { options, timeoutMs, draftLimits = options.draftLimits, usageLimits, prepareSignal }: CommandLimits,
  context: CommandContext,
  act: (command: EndedCommand) => Promise<T>,
): Promise<T> {
  context.signal.throwIfAborted();
  const temporary = await makeTemporary(options.sandbox);
  let confined: Confined | undefined;
  try {
    const started = await start(text, options, context, { temporary, draftLimits, prepareSignal, usageLimits });
    ({ confined } = started);
    const { clock = systemClock } = options;
    const { ended, isTooLarge } = await runWatched(started, context, { clock, timeoutMs, usageLimits });
    const hints =
      confined === undefined ? [] : explainNotFound(ended.result.stderr, confined.sees, process.env['PATH'] ?? '');
    const notes = [hiddenPathsNote(confined), ...hints].filter((note) => note !== undefined);
    return await act({ ended, isTooLarge, confined, notes });
  } finally {
    await confined?.release();
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Runs the command, and stops it if it writes or uses more than allowed. */
async function runWatched(
  { command, confined }: { command: StartedCommand; confined: Confined | undefined },
  { signal, output }: CommandContext,
  { clock, timeoutMs, usageLimits }: { clock: Clock; timeoutMs: number; usageLimits: UsageLimits | undefined },
): Promise<{ ended: CommandEnd; isTooLarge: boolean }> {
  const over = new AbortController();
  let isTooLarge = false;
  const stop = (): void => over.abort();
  const exceeded = (): void => {
    isTooLarge = true;
    stop();
  };
  const { inner } = command;
  const stopWatching = [
    confined?.watch(clock, exceeded),
    inner === undefined || usageLimits === undefined ? undefined : watchUsage(inner, usageLimits, clock, exceeded),
  ];
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  try {
    const ended = await runCommand(command, { signal: over.signal, clock, timeoutMs, output });
    return { ended, isTooLarge };
  } finally {
    signal.removeEventListener('abort', stop);
    for (const stopOne of stopWatching) stopOne?.();
  }
}

async function makeTemporary(sandbox: Sandbox): Promise<string> {
  if (sandbox.kind === 'bubblewrap') return await makeCallFolder(sandbox.drafting.folder);
  return await mkdtemp(join(await realpath(tmpdir()), 'countersign-'));
}

const MAX_TRIES = 3;

/** Retries, because other programs' sockets come and go: a path to hide may disappear while the sandbox is set up. */
async function start(
  text: string,
  options: ShellOptions,
  context: CommandContext,
  about: { temporary: string } & Pick<CommandLimits, 'draftLimits' | 'prepareSignal' | 'usageLimits'>,
): Promise<{ command: StartedCommand; confined: Confined | undefined }> {
  const { temporary, draftLimits: limited, prepareSignal = context.signal, usageLimits } = about;
  for (let tries = 1; ; tries += 1) {
    const confined = await confinedBy(
      limited === undefined ? options : { ...options, draftLimits: limited },
      { ...context, signal: prepareSignal },
      temporary,
    );
    const clean = cleanEnvironment(confined?.containsProcesses === true ? '/tmp' : temporary);
    const environment = { ...clean, ...confined?.environment };
    const { workingDirectory } = context;
    const { maxProcesses = 4_096, draftLimits = DRAFT_LIMITS } = options;
    const maxFileBytes = draftLimits.bytes;
    const limits = { maxProcesses, maxFileBytes, maxCpuMs: usageLimits?.cpuMs };
    try {
      const command = await startCommand({ text, workingDirectory, environment, confined, temporary, ...limits });
      return { command, confined };
    } catch (error) {
      await confined?.release();
      if (!(error instanceof NotStarted) || confined === undefined || tries === MAX_TRIES) throw error;
    }
  }
}

/** Says that something was hidden, but not what. */
function hiddenPathsNote(confined: Confined | undefined): string | undefined {
  const count = confined?.hiddenByRules.length ?? 0;
  if (count === 0) return undefined;
  return `${count === 1 ? 'One path was' : `${count} paths were`} hidden from this command, because a rule denies access or requires approval.`;
}

async function confinedBy(
  options: ShellOptions,
  context: CommandContext,
  temporary: string,
): Promise<Confined | undefined> {
  const confinement = { ...(await confinementFor(options, context)), signal: context.signal };
  if (options.sandbox.kind !== 'none') return await confine(options.sandbox, confinement, temporary);
  checkWorkingFolder(confinement);
  return undefined;
}

/** What a command may see and reach. */
export async function confinementFor(
  { sandbox, hide = [], show = [], network = 'none', outside, writable, draftLimits }: ShellOptions,
  context: Omit<CommandContext, 'signal' | 'output'>,
): Promise<Confinement> {
  const { workingDirectory, sandboxGrants: { mayReach, privateHosts = [] } = {} } = context;
  const confinement: Confinement = {
    workingDirectory,
    copy: context.copy,
    writes: 'draft',
    ...(draftLimits === undefined ? {} : { draftLimits }),
    home: await real(homedir()),
    hide: await Promise.all(hide.map(real)),
    show: await Promise.all(show.map(real)),
    protectedPaths: context.protectedPaths,
    mayCreate: context.mayCreate,
    network,
    ...(outside === undefined ? {} : { outside }),
    ...(mayReach === undefined || network !== 'none'
      ? {}
      : { network: 'public', privateHosts, outside: limitHosts(mayReach, outside) }),
  };
  if (sandbox.kind === 'none') return confinement;
  const { sandboxGrants, withheld } = context;
  const written = await Promise.all([workingDirectory, ...((await writable?.()) ?? [])].map(real));
  const opened = await openFolders(
    sandboxGrants?.folders ?? [],
    { ...confinement, writable: written },
    (path) => withheld?.(path) === true,
  );
  const programs = programsFor(confinement, written);
  return { ...confinement, programs, show: [...confinement.show, ...opened] };
}

/** A path that doesn't exist has no real path, so it is compared as written. */
async function real(path: string): Promise<string> {
  return await realpath(path).catch(() => resolve(path));
}
