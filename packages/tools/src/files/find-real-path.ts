import { realpath } from 'node:fs/promises';
import { relative } from 'node:path';
import { isOwnFile, errorMessage } from '@countersign/core/ports';
import { isInside } from '@countersign/changes';
import { absolutePath } from './path-argument.js';

/** A path that exists, contains no symlinks and is inside the working folder, checked at the time of the call. */
export interface FoundPath {
  readonly path: string;
  /** Relative to the working folder, for display. */
  readonly name: string;
}

/**
 * Rejects with an error that the model can act on. Refuses symlinks even inside the folder: rules checked the path as written, and a symlink
 * would bypass them (CALL1).
 */
export async function findRealPath(workingDirectory: string, written: string): Promise<FoundPath> {
  const path = absolutePath({ workingDirectory }, written);
  const name = nameOf(workingDirectory, path);
  await checkRoot(workingDirectory);
  if (!isInside(workingDirectory, path)) throw outside(written);
  refuseOwnFile(path, name);
  let real: string;
  try {
    real = await realpath(path);
  } catch (error) {
    throw new Error(wordsFor(error, name), { cause: error });
  }
  if (real !== path) throw linked(workingDirectory, name, real);
  return { path, name };
}

/** If the folder was replaced by a symlink after the approval, the approval no longer applies. */
export async function checkRoot(workingDirectory: string): Promise<void> {
  const real = await realpath(workingDirectory).catch(() => undefined);
  if (real !== workingDirectory) throw new Error(`the working folder ${workingDirectory} was replaced by a link`);
}

/** Must be called before anything opens the file; see `isOwnFile`. */
export function refuseOwnFile(path: string, name: string): void {
  if (isOwnFile(path)) throw new Error(`"${name}" belongs to Countersign; tools may not open it`);
}

export function nameOf(workingDirectory: string, path: string): string {
  return relative(workingDirectory, path) || '.';
}

export function outside(written: string): Error {
  return new Error(`"${written}" is outside the working folder`);
}

export function linked(workingDirectory: string, name: string, real: string): Error {
  if (!isInside(workingDirectory, real)) return new Error(`"${name}" leads outside the working folder`);
  return new Error(`"${name}" is a link to "${nameOf(workingDirectory, real)}"; use that path instead`);
}

export function wordsFor(error: unknown, name: string): string {
  const code = error instanceof Error ? (Reflect.get(error, 'code') as unknown) : undefined;
  switch (code) {
    case 'ENOENT':
      return `"${name}" does not exist`;
    case 'ENOTDIR':
      return `part of the path "${name}" is a file, not a folder`;
    case 'ELOOP':
      return `"${name}" is a link that points back to itself`;
    case 'ENAMETOOLONG':
      return 'a name in this path is too long';
    case 'EACCES':
    case 'EPERM':
      return `"${name}" can't be opened: permission denied`;
    case 'EISDIR':
      return `"${name}" is a folder`;
    default:
      return `"${name}" can't be used: ${errorMessage(error)}`;
  }
}
