import { bubblewrapArguments } from './bubblewrap-arguments.js';
import { holdFixedPaths, type Held } from './hold-fixed-paths.js';
import { checkWorkingFolder, findHidden } from './look-around.js';
import { sandboxExecProfile } from './sandbox-exec-profile.js';
import type { Confinement, Sandbox } from './sandbox.js';

/** How a command is started, and what has to be tidied once all of it is dead. */
export interface Confined {
  readonly program: string;
  /** What comes before the command's own program and arguments. */
  readonly before: readonly string[];
  /** Whether every process it starts dies with it, whatever it does. Otherwise somebody has to look for them. */
  readonly containsProcesses: boolean;
  release(): Promise<void>;
}

/** The file descriptor on which bubblewrap tells the pid of what it runs. */
export const STATUS_FD = 4;

/** Rejects with words where a command can't be kept in: then it must not run. */
export async function confine(
  sandbox: Exclude<Sandbox, { kind: 'none' }>,
  confinement: Confinement,
  temporary: string,
): Promise<Confined> {
  const { workingDirectory, show, network } = confinement;
  switch (sandbox.kind) {
    case 'bubblewrap': {
      const hidden = await findHidden(confinement);
      checkWorkingFolder(confinement, hidden.folders);
      const held = await holdFixedPaths(workingDirectory);
      const before = bubblewrapArguments(sandbox, {
        workingDirectory,
        hiddenFolders: hidden.folders,
        hiddenFiles: hidden.files,
        shown: show,
        fixed: held.fixed,
        network,
      });
      const status = ['--json-status-fd', String(STATUS_FD)];
      return { program: sandbox.program, before: [...status, ...before], containsProcesses: true, ...releaseOf(held) };
    }
    case 'sandbox-exec': {
      checkWorkingFolder(confinement);
      const held = await holdFixedPaths(workingDirectory);
      const profile = sandboxExecProfile(confinement, held.fixed, temporary);
      return { program: sandbox.program, before: ['-p', profile], containsProcesses: false, ...releaseOf(held) };
    }
  }
}

function releaseOf(held: Held): Pick<Confined, 'release'> {
  return { release: () => held.release() };
}
