import { realpath } from 'node:fs/promises';
import { relative } from 'node:path';
import { isOwnFile, wordsOf } from '@countersign/core/ports';
import { isInside } from './is-inside.js';
import { absolutePath } from './path-argument.js';

/** A path, checked now: it exists, no link is on the way, and it lies in the working folder. */
export interface FoundPath {
  readonly path: string;
  /** As people write it, from the working folder. */
  readonly name: string;
}

/**
 * Rejects with words a model can use. Links are refused even where they stay inside: rules have judged the path as it was
 * written, and a link would be a way around them (A1).
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

/** The folder was real when the call was signed; if it has become a link since, nothing said about it holds. */
export async function checkRoot(workingDirectory: string): Promise<void> {
  const real = await realpath(workingDirectory).catch(() => undefined);
  if (real !== workingDirectory) throw new Error(`the working folder ${workingDirectory} is no longer what it was`);
}

/** Before anything opens it: see `isOwnFile`. */
export function refuseOwnFile(path: string, name: string): void {
  if (isOwnFile(path)) throw new Error(`"${name}" belongs to Countersign itself; no tool may open it`);
}

export function nameOf(workingDirectory: string, path: string): string {
  return relative(workingDirectory, path) || '.';
}

export function outside(written: string): Error {
  return new Error(`"${written}" lies outside the working folder`);
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
      return `"${name}" goes through a file as if it were a folder`;
    case 'ELOOP':
      return `"${name}" is a link that leads in a circle`;
    case 'ENAMETOOLONG':
      return 'a name in this path is too long';
    case 'EACCES':
    case 'EPERM':
      return `"${name}" may not be opened: permission denied`;
    case 'EISDIR':
      return `"${name}" is a folder`;
    default:
      return `"${name}" can't be used: ${wordsOf(error)}`;
  }
}
