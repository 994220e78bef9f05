import { lstatSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isInside } from '@countersign/changes';
import { SECRET_FOLDERS } from './secret-names.js';

/** Folders with secrets in a home folder: at its top, and deeper ones for specific programs. */
const SECRETS_IN: readonly (readonly [parent: string, names: readonly string[]])[] = [
  ['', [...SECRET_FOLDERS]],
  ['.config', ['gcloud', 'gh']],
  ['.local/share', ['keyrings']],
  ['Library', ['Keychains']],
];

/**
 * A folder with secrets in a user's home folder, such as `~/.ssh`, that equals, contains or is inside the given folder. Both paths are real.
 * Follows the user's own symlinks, such as `~/.ssh` into a dotfiles folder.
 */
export function secretFolderAt(folder: string, home: string, now = Date.now()): string | undefined {
  for (const [parent, names] of SECRETS_IN) {
    const present = presentIn(join(home, parent), names, now);
    const real =
      parent === '' || present.length === 0 ? home : orNothing(() => realpathSync.native(join(home, parent)));
    for (const { name, isLink } of present) {
      const path = join(real ?? join(home, parent), name);
      const secret = isLink ? orNothing(() => realpathSync.native(path)) : path;
      if (secret !== undefined && (isInside(secret, folder) || isInside(folder, secret))) {
        return `~/${join(parent, name)}`;
      }
    }
  }
  return undefined;
}

interface Present {
  readonly name: string;
  /** The target of a symlink may change without a change to its parent folder. */
  readonly isLink: boolean;
}

const known = new Map<string, { stamp: string; present: readonly Present[] }>();
/** A folder that changed this recently may change again with the same timestamp. */
const SETTLED_MS = 2_000;

/** Which of the names exist in a folder. Cached until the folder changes: most don't exist, and each call would look for all of them. */
function presentIn(parent: string, names: readonly string[], now: number): readonly Present[] {
  const stats = orNothing(() => statSync(parent, { throwIfNoEntry: false }));
  if (stats === undefined) return [];
  const stamp = `${stats.dev} ${stats.ino} ${stats.ctimeMs}`;
  const before = known.get(parent);
  if (before?.stamp === stamp) return before.present;
  const present = names.flatMap((name) => {
    const found = orNothing(() => lstatSync(join(parent, name), { throwIfNoEntry: false }));
    return found === undefined ? [] : [{ name, isLink: found.isSymbolicLink() }];
  });
  if (now - stats.ctimeMs > SETTLED_MS) known.set(parent, { stamp, present });
  return present;
}

/** Why a working folder is rejected; follows "the working folder …" (SAFE1). */
export function secretFolderText(secret: string): string {
  return `contains or is inside ${secret}, a folder for keys and passwords that agents must not reach; choose another`;
}

/** A file that we can't access is treated as missing: an agent can't read it either. */
function orNothing<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
