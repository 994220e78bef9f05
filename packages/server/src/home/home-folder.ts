import { chmodSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { CountersignError } from '@countersign/protocol';
import { makeFolder } from './folders/make-folder.js';

/** The home folder: `COUNTERSIGN_HOME`, or a folder in the user's home folder. */
export function homeFolder(env: NodeJS.ProcessEnv): string {
  const named = env['COUNTERSIGN_HOME'];
  return named === undefined ? join(homedir(), '.countersign') : named;
}

/** Creates the folder with mode 0700 and returns its real path. */
export function prepareHome(folder: string): string {
  try {
    if (!isAbsolute(folder)) throw new Error('it must be an absolute path');
    makeFolder(folder);
    const real = realpathSync.native(folder);
    // Chats and the token are private.
    if ((statSync(real).mode & 0o077) !== 0) chmodSync(real, 0o700);
    return real;
  } catch (cause) {
    throw unusableHome(folder, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

export function unusableHome(folder: string, why: string, cause: unknown): CountersignError {
  const detail = `The folder "${folder}" can't be used as the home folder (${why}). Choose another with --home or COUNTERSIGN_HOME.`;
  return new CountersignError('invalid', detail, { cause, field: 'home' });
}
