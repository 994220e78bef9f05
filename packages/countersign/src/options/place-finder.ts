import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import type { PlaceFinder } from '@countersign/core';
import { CountersignError, unknownSandbox } from '@countersign/protocol';

/**
 * The real path of the folder, with symlinks resolved. Looked up for every call: if the folder was replaced, the call needs approval again
 * (CALL7).
 */
export function placeFinder(sandbox: string | undefined): PlaceFinder {
  // The program's own description is shown, but never trusted.
  const said = sandbox === undefined ? {} : { sandbox: unknownSandbox(sandbox) };
  return ({ world }) => {
    const workingDirectory = realFolder(world.settings.workingDirectory ?? process.cwd());
    return { workingDirectory, home: homedir(), ...said };
  };
}

/** Throws if the path is not a folder. */
export function realFolder(path: string): string {
  try {
    // With the trailing dot, a path that is not a folder also fails.
    return realpathSync.native(path === '' ? path : `${path}/.`);
  } catch (cause) {
    const why = isNoFolder(cause) ? 'is not a folder' : 'does not exist';
    throw new CountersignError('invalid', `the working folder ${path} ${why}`, { field: 'workingDirectory', cause });
  }
}

function isNoFolder(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ENOTDIR';
}
