import { execFileSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { systemClock } from '@countersign/core/ports';
import { bubblewrapArguments, type Bubblewrap } from '../sandbox/bubblewrap-arguments.js';
import type { Confined } from '../sandbox/confine.js';
import { removeTree } from '@countersign/changes';
import { findHidden } from '../sandbox/find-hidden.js';
import { startArguments, STATUS_FD } from '../sandbox/start-arguments.js';
import { cleanEnvironment } from '../shell/clean-environment.js';
import { runCommand } from '../shell/run-command.js';
import { confinementFor } from '../shell/run-confined.js';
import { startCommand } from '../shell/start-command.js';
import { readTree } from './read-tree.js';

/** A real run: which files there are afterwards, and what it printed. */
export interface RealRun {
  readonly tree: ReadonlyMap<string, string>;
  /** Without the order of lines. */
  readonly unordered: ReadonlyMap<string, string>;
  readonly exitCode: number;
}

/**
 * Runs a command in the same sandbox as a rehearsal, but without a draft: it writes directly to the folder. Some of the commands would otherwise
 * remove the whole disk. `folder` is replaced by a new copy of `original`; `temporary` must not exist.
 */
export async function runOnCopy(
  text: string,
  about: { sandbox: Bubblewrap; original: string; folder: string; temporary: string },
): Promise<RealRun> {
  const { sandbox, original, folder, temporary } = about;
  execFileSync('cp', ['-a', '--reflink=auto', original, folder]);
  await mkdir(temporary, { mode: 0o700 });
  try {
    const confined = await confineDirectly(sandbox, folder, temporary);
    const environment = { ...cleanEnvironment('/tmp'), ...confined.environment };
    const limits = { maxProcesses: 4_096, maxFileBytes: 256 * 1024 ** 2 };
    const command = await startCommand({ text, workingDirectory: folder, environment, confined, temporary, ...limits });
    const { signal } = new AbortController();
    const run = { signal, clock: systemClock, timeoutMs: 60_000, output: () => undefined };
    const { result } = await runCommand(command, run);
    const unordered = readTree(folder, { anyOrder: true });
    return { tree: readTree(folder), unordered, exitCode: result.exitCode };
  } finally {
    for (const path of [folder, temporary]) await removeTree(path);
  }
}

/** Like `confine`, but every path in the folder can be written, and at once. */
async function confineDirectly(sandbox: Bubblewrap, folder: string, temporary: string): Promise<Confined> {
  const confinement = await confinementFor({ sandbox }, { workingDirectory: folder });
  const { shown = [], links = [], environment = {} } = confinement.programs ?? {};
  const { folders, files, sees } = await findHidden(confinement, [sandbox.drafting.folder]);
  const words = bubblewrapArguments(sandbox, {
    workingDirectory: folder,
    place: ['--bind', folder, folder],
    hiddenFolders: folders,
    hiddenFiles: files,
    shown: [...confinement.show, ...shown],
    links,
    fixed: [],
    hiddenByRules: [],
    network: 'none',
    more: [],
  });
  const { before, after } = await startArguments(temporary);
  const status = ['--json-status-fd', String(STATUS_FD)];
  const [program = '', ...rest] = [...before, sandbox.program, ...after, ...status, ...words];
  return {
    program,
    before: rest,
    containsProcesses: true,
    gateway: undefined,
    hiddenByRules: [],
    sees,
    environment,
    watch: () => () => undefined,
    accept: () => Promise.resolve(undefined),
    plan: undefined,
    release: () => Promise.resolve(),
  };
}
