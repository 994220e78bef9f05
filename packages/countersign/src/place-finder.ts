import { realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import type { PlaceFinder } from '@countersign/core';
import { CountersignError, unknownSandbox } from '@countersign/protocol';

/**
 * The real folder, links resolved, looked up for every call: one that was swapped since it was signed is asked anew (A7).
 * Synchronous on purpose: three microseconds, where the asynchronous call waits for a thread and costs as much as a commit.
 */
export function placeFinder(sandbox: string | undefined): PlaceFinder {
  return async ({ world }) => {
    const wanted = world.settings.workingDirectory ?? process.cwd();
    const workingDirectory = realPathOf(wanted);
    if (!statSync(workingDirectory).isDirectory()) {
      throw new CountersignError('invalid', `the working folder ${wanted} is not a folder`, {
        field: 'workingDirectory',
      });
    }
    // The program's own words: shown, and never read as a promise.
    const said = sandbox === undefined ? {} : { sandbox: unknownSandbox(sandbox) };
    return { workingDirectory, home: homedir(), ...said };
  };
}

function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    throw new CountersignError('invalid', `the working folder ${path} is not there`, {
      field: 'workingDirectory',
      cause: error,
    });
  }
}
