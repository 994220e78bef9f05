import { realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, sep } from 'node:path';
import type { PlaceFinder } from '@countersign/core';
import { CountersignError } from '@countersign/protocol';
import { secretFolderAt, secretFolderWords, systemFolderIn } from '@countersign/tools';
import { makeFolder } from './make-folder.js';

/** Where worlds act. */
export interface WorkFolders {
  /** The folder of a world that names none: its own, made if need be, and outside our home. */
  own(worldId: string): string;
  /** Where agents write, of all these worlds. */
  all(worlds: readonly { settings: { workingDirectory?: string | undefined } }[]): readonly string[];
  /** The real path of a folder that a world may act in; throws for the ones that A21 names. */
  check(folder: string): string;
  findPlace: PlaceFinder;
}

/**
 * `home` is a real path. The folders of worlds lie beside it: an agent writes there, and whatever it may write must not lie where our
 * token and store do. Servers that share a database name one place for them: a call is signed for the folder it acts in, and must be the
 * same one wherever its turn goes on. Everything is looked up anew for each call, since a folder may have become a link since it was signed (A7).
 */
export function createWorkFolders(home: string, worlds = `${home}-worlds`): WorkFolders {
  function check(folder: string): string {
    const refuse = (why: string, cause?: unknown): CountersignError =>
      new CountersignError('invalid', `the working folder ${folder} ${why}`, { field: 'workingDirectory', cause });
    // Relative to what? The server's own folder means nothing to whoever asks.
    if (!isAbsolute(folder)) throw refuse('must be an absolute path');
    const real = realPathOf(folder, (cause) => refuse('is not there; make it first', cause));
    if (!statSync(real).isDirectory()) throw refuse('is not a folder');
    const person = realPathOf(homedir(), (cause) => refuse('can not be compared with your home folder', cause));
    // Somebody whose home is `/` could choose no folder at all.
    if (person !== '/' && isWithin(real, person)) {
      throw refuse(
        'holds your whole home folder, with its keys and passwords, which agents must not reach; choose a folder inside it',
      );
    }
    if (isWithin(home, real) || isWithin(real, home)) {
      throw refuse('holds, or lies in, the home of Countersign, which agents must not reach; choose another');
    }
    const secret = secretFolderAt(real, person);
    if (secret !== undefined) throw refuse(secretFolderWords(secret));
    const system = systemFolderIn(real);
    if (system !== undefined) throw refuse(`holds ${system}, from which Countersign starts programs; choose another`);
    return real;
  }

  function own(worldId: string): string {
    const folder = join(worlds, worldId);
    makeFolder(folder);
    return folder;
  }

  return {
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

/** Whether a path is the folder or lies in it. By text: both are real. */
function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
