import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CommandError } from '../command-error.js';
import { gate } from '../words/gate.js';

/** One file before and after; undefined if it doesn't exist. */
export interface FileChange {
  /** Where it is, with symbolic links resolved. */
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly isSecret: boolean;
  /** Every user of the machine must be able to read it. */
  readonly isPublic?: true;
}

/** The user's file before the installation; without a text, there was none. */
export interface OriginalFile {
  readonly text: string | undefined;
}

export async function readConfig(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw new CommandError(gate.cannotRead(path, reasonOf(error)), undefined, error);
  }
}

/** The file that a symbolic link points to, so that writing replaces the file and not the link. */
export async function resolvePath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (isMissing(error)) return path;
    throw new CommandError(gate.cannotRead(path, reasonOf(error)), undefined, error);
  }
}

/** Writes all files or none: if one can't be written, those before it are restored. */
export async function writeChanges(changes: readonly FileChange[]): Promise<void> {
  const done: FileChange[] = [];
  for (const change of changes) {
    try {
      await writeOne(change, change.after);
      done.push(change);
    } catch (error) {
      for (const written of done.reverse()) await writeOne(written, written.before);
      throw new CommandError(gate.cannotWrite(change.path, reasonOf(error)), undefined, error);
    }
  }
}

/** Replaces the file in one step, so that the agent never reads half of it. */
async function writeOne({ path, isSecret, isPublic }: FileChange, text: string | undefined): Promise<void> {
  if (text === undefined) return await rm(path, { force: true });
  await mkdir(dirname(path), { recursive: true, mode: isPublic === true ? 0o755 : 0o700 });
  const known = await stat(path).catch(() => undefined);
  const mode =
    isPublic === true ? ((known?.mode ?? 0) & 0o777) | 0o644 : isSecret ? 0o600 : (known?.mode ?? 0o600) & 0o777;
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}`);
  try {
    await writeFile(temporary, text, { mode, flag: 'wx' });
    await chmod(temporary, mode);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
