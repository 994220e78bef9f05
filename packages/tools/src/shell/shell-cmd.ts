import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  defineTool,
  systemClock,
  ToolFailure,
  errorMessage,
  type Clock,
  type TypedTool,
  type ToolContext,
} from '@countersign/core/ports';
import { refuseUnknownKeys, type Subject } from '@countersign/protocol';
import { z } from 'zod';
import { confine, type Confined } from '../sandbox/confine.js';
import { DraftConflict } from '../sandbox/draft/draft-conflict.js';
import { DRAFT_LIMITS, DraftTooLarge, type DraftLimits } from '../sandbox/draft/draft-limits.js';
import { makeCallFolder } from '../sandbox/draft/open-draft.js';
import type { Outside } from '../sandbox/gateway/gateway.js';
import { checkWorkingFolder } from '../sandbox/find-hidden.js';
import { explainNotFound } from '../sandbox/programs/explain-hidden.js';
import { openFolders } from '../sandbox/open-folders.js';
import { programsFor } from '../sandbox/programs/programs-for.js';
import { sandboxFacts, type Confinement, type Sandbox } from '../sandbox/sandbox.js';
import { cleanEnvironment } from './clean-environment.js';
import { limitHosts } from '../sandbox/gateway/limit-hosts.js';
import { joinCommand, whyNoParameters } from './join-command.js';
import { runCommand, type CommandEnd } from './run-command.js';
import { NotStarted, startCommand, type StartedCommand } from './start-command.js';
import { subjectsOfCommand } from './subjects-of-command.js';

/** Linux's limit for one argument. */
const LONGEST_BYTES = 120 * 1024;

const text = z.string().refine((value) => !value.includes('\0'), 'must not contain a NUL character');

const parameters = z
  .strictObject({
    command: text
      .refine((value) => value.trim() !== '', 'must not be empty')
      .describe('Bash command to run in the working folder, without a terminal or standard input.'),
    parameters: z
      .array(text)
      .exactOptional()
      .describe('Additional arguments, passed to the command literally; nothing in them is expanded.'),
  })
  .superRefine(({ command, parameters: words = [] }, context) => {
    const why = words.length === 0 ? undefined : whyNoParameters(command);
    if (why !== undefined) context.addIssue({ code: 'custom', path: ['parameters'], message: why });
    if (Buffer.byteLength(joinCommand(command, words)) > LONGEST_BYTES) {
      const message = 'is too long; write it to a file and run the file';
      context.addIssue({ code: 'custom', path: ['command'], message });
    }
  });

/** Options for `shellCmd`. */
export interface ShellOptions {
  /** From `findSandbox()`. `none` runs commands with all our permissions; every approval card says so (A21). */
  sandbox: Sandbox;
  /** Our home folder, store and policy. No command can see them, and a working folder that contains or is inside one of them is rejected. */
  hide?: readonly string[];
  /** Folders in the user's home folder that commands may read, such as a Node.js installation. */
  show?: readonly string[];
  /** Working folders of all worlds. Agents write to them, so programs in them are never made available to a sandbox. */
  writable?: () => Promise<readonly string[]>;
  /** `public`: public addresses through our proxy, for programs that support one (A20). Default: `none`. */
  network?: 'none' | 'public';
  /** Replaces the public network in tests. */
  outside?: Outside;
  /** Default: 120,000. */
  timeoutMs?: number;
  /** The limit per command in the sandbox, unless we run as root, which the kernel never limits. Default: 4,096. */
  maxProcesses?: number;
  /** How much a sandboxed command may write to the working folder. Default: 2 GiB in 200,000 files. */
  draftLimits?: DraftLimits;
  /** The clock. Default: the system clock. */
  clock?: Clock;
}

const KNOWN: Record<keyof ShellOptions, true> = {
  sandbox: true,
  hide: true,
  show: true,
  writable: true,
  network: true,
  outside: true,
  timeoutMs: true,
  maxProcesses: true,
  draftLimits: true,
  clock: true,
};

/** Runs a bash script in the working folder, sandboxed if possible (T15, A20). */
export function shellCmd(options: ShellOptions): TypedTool<'shell_cmd', z.input<typeof parameters>> {
  refuseUnknownKeys(options, KNOWN, 'shellCmd');
  const { timeoutMs = 120_000, clock = systemClock, draftLimits = DRAFT_LIMITS } = options;
  return defineTool({
    name: 'shell_cmd',
    description:
      'Runs a bash command in the working folder and returns its exit code, stdout and stderr. Every call starts a new shell. Its processes are killed when the call ends, and its changes appear in the folder after that. If someone else changes the same files in the meantime, the call fails and none of its changes are applied.',
    parameters,
    approval: { required: true, message: 'Run: {command}' },
    unconfined: options.sandbox.kind === 'none',
    sandbox: (opened) => sandboxFacts(options.sandbox, { network: options.network ?? 'none', opened }),
    subjects: ({ command, parameters: words }) => {
      const subjects = subjectsOfCommand(command, words);
      return options.sandbox.kind === 'none' ? subjects.map(onlyExactly) : subjects;
    },
    contained: () => options.sandbox.kind !== 'none' && options.network !== 'public',
    async execute({ command, parameters: words }, context) {
      context.signal.throwIfAborted();
      const temporary = await makeTemporary(options.sandbox);
      let confined: Confined | undefined;
      try {
        const started = await start(joinCommand(command, words), options, context, temporary);
        ({ confined } = started);
        const { ended, isTooLarge } = await runWatched(started, context, { clock, timeoutMs });
        if (isTooLarge) throw new ToolFailure(errorMessage(new DraftTooLarge(draftLimits)), ended.result);
        // Includes what a stopped command wrote before it ended, such as notes or cleaned-up files.
        const hints =
          confined === undefined ? [] : explainNotFound(ended.result.stderr, confined.sees, process.env['PATH'] ?? '');
        const found = [hiddenPathsNote(confined), ...hints, await accept(confined, ended)];
        const notes = found.filter((note) => note !== undefined);
        return resultOf(ended, notes.length === 0 ? undefined : notes.join('\n'), timeoutMs);
      } finally {
        await confined?.release();
        await rm(temporary, { recursive: true, force: true });
      }
    },
  });
}

/** Runs the command, and stops it if it writes more than allowed. */
async function runWatched(
  { command, confined }: { command: StartedCommand; confined: Confined | undefined },
  { signal, output }: ToolContext,
  { clock, timeoutMs }: { clock: Clock; timeoutMs: number },
): Promise<{ ended: CommandEnd; isTooLarge: boolean }> {
  const over = new AbortController();
  let isTooLarge = false;
  const stop = (): void => over.abort();
  const stopWatching = confined?.watch(clock, () => {
    isTooLarge = true;
    stop();
  });
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  try {
    const ended = await runCommand(command, { signal: over.signal, clock, timeoutMs, output });
    return { ended, isTooLarge };
  } finally {
    signal.removeEventListener('abort', stop);
    stopWatching?.();
  }
}

/** Without a sandbox, even `sed` and `cat` can read our token and store, so a star in a rule matches nothing (A32). */
function onlyExactly(subject: Subject): Subject {
  return subject.kind === 'words' ? { ...subject, exact: true } : subject;
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
  context: ToolContext,
  temporary: string,
): Promise<{ command: StartedCommand; confined: Confined | undefined }> {
  for (let tries = 1; ; tries += 1) {
    const confined = await confinedBy(options, context, temporary);
    const clean = cleanEnvironment(confined?.containsProcesses === true ? '/tmp' : temporary);
    const environment = { ...clean, ...confined?.environment };
    const { workingDirectory } = context;
    const { maxProcesses = 4_096, draftLimits = DRAFT_LIMITS } = options;
    const maxFileBytes = draftLimits.bytes;
    const limits = { maxProcesses, maxFileBytes };
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

async function accept(confined: Confined | undefined, { result }: CommandEnd): Promise<string | undefined> {
  try {
    return await confined?.accept();
  } catch (error) {
    const why = errorMessage(error);
    if (error instanceof DraftConflict || error instanceof DraftTooLarge) throw new ToolFailure(why, result);
    throw new ToolFailure(
      `the command ran, but not all of its changes could be applied to the working folder: ${why}`,
      result,
    );
  }
}

async function confinedBy(
  { sandbox, hide = [], show = [], network = 'none', outside, writable, draftLimits }: ShellOptions,
  context: ToolContext,
  temporary: string,
): Promise<Confined | undefined> {
  const { workingDirectory, sandboxGrants: { mayReach, privateHosts = [] } = {} } = context;
  const confinement: Confinement = {
    workingDirectory,
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
  if (sandbox.kind !== 'none') {
    const { sandboxGrants, withheld } = context;
    const opened = await openFolders(sandboxGrants?.folders ?? [], confinement, (path) => withheld?.(path) === true);
    const programs = programsFor(confinement, (await writable?.()) ?? []);
    return await confine(sandbox, { ...confinement, programs, show: [...confinement.show, ...opened] }, temporary);
  }
  checkWorkingFolder(confinement);
  return undefined;
}

/** A path that doesn't exist has no real path, so it is compared as written. */
async function real(path: string): Promise<string> {
  return await realpath(path).catch(() => resolve(path));
}

function resultOf({ why, result: said }: CommandEnd, note: string | undefined, timeoutMs: number) {
  const result = note === undefined ? said : { ...said, note };
  switch (why) {
    case 'stopped':
      throw new ToolFailure('stopped; the command and all its processes were killed', result);
    case 'timed-out': {
      const words = `the command took longer than ${timeoutMs / 1000} seconds; it and all its processes were killed`;
      throw new ToolFailure(words, result);
    }
    case 'exited':
      if (result.exitCode !== 0) throw new ToolFailure(`the command exited with code ${result.exitCode}`, result);
      return result;
  }
}
