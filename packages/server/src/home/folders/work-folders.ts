import { realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { PlaceFinder } from '@countersign/core';
import { CountersignError } from '@countersign/protocol';
import { secretFolderAt, secretFolderText, systemFolderIn } from '@countersign/tools';
import { autorunFolders } from './autorun-folders.js';
import { isWithin } from './is-within.js';
import { makeFolder } from './make-folder.js';

/** The settings of a world that name folders. */
type FolderField = 'workingDirectory' | 'roots';

/** The folders that worlds work in. */
export interface WorkFolders {
  /** A world's default folder, outside our home folder, which may not exist yet. */
  pathOf(worldId: string): string;
  /** The same, created if missing. */
  own(worldId: string): string;
  /** The folders that agents in these worlds can write to. */
  all(worlds: readonly { settings: { workingDirectory?: string | undefined } }[]): readonly string[];
  /** The real path of a folder that a world may use, or have as a root. Throws for folders that SAFE1 excludes. */
  check: (folder: string, field?: FolderField) => string;
  findPlace: PlaceFinder;
}

/**
 * Working folders are next to `home` (a real path), because agents write there and must not reach the token. Checked for each call: a folder
 * may have been replaced by a symlink (CALL7).
 */
export function createWorkFolders(home: string, worlds = `${home}-worlds`): WorkFolders {
  const findAutorun = autorunFolders(worlds);

  function check(folder: string, field: FolderField = 'workingDirectory'): string {
    const what = field === 'roots' ? 'root' : 'working folder';
    const refuse = (why: string, cause?: unknown): CountersignError =>
      new CountersignError('invalid', `the ${what} ${folder} ${why}`, { field, cause });
    // A path relative to the server's folder would mean nothing to the client.
    if (!isAbsolute(folder)) throw refuse('must be an absolute path');
    const real = realPathOf(folder, (cause) => refuse('does not exist; create it first', cause));
    if (!statSync(real).isDirectory()) throw refuse('is not a folder');
    const person = realPathOf(homedir(), (cause) => refuse('could not be compared with your home folder', cause));
    // Skip this check if the user's home folder is `/`: it would exclude every folder.
    if (person !== '/' && isWithin(real, person)) {
      throw refuse(
        'contains your home folder with its keys and passwords, which agents must not reach; choose a folder inside it',
      );
    }
    if (isWithin(home, real) || isWithin(real, home)) {
      throw refuse(
        'contains or is inside the Countersign home folder, which agents must not reach; choose another folder',
      );
    }
    const secret = secretFolderAt(real, person);
    if (secret !== undefined) throw refuse(secretFolderText(secret));
    const system = systemFolderIn(real);
    if (system !== undefined)
      throw refuse(`contains ${system}, from which Countersign starts programs; choose another folder`);
    const autorun = findAutorun(real, person);
    if (autorun !== undefined)
      throw refuse(
        `contains or is inside ${autorun}, whose files run or are read by other programs; choose another folder`,
      );
    return real;
  }

  const pathOf = (worldId: string): string => join(worlds, worldId);

  function own(worldId: string): string {
    const folder = pathOf(worldId);
    makeFolder(folder);
    return folder;
  }

  return {
    pathOf,
    own,
    check,
    all: (known) => [worlds, ...known.flatMap(({ settings }) => settings.workingDirectory ?? [])],
    findPlace: ({ world }) => ({
      workingDirectory: check(world.settings.workingDirectory ?? own(world.id)),
      home: homedir(),
    }),
  };
}

function realPathOf(path: string, refuse: (cause: unknown) => Error): string {
  try {
    return realpathSync.native(path);
  } catch (cause) {
    throw refuse(cause);
  }
}
