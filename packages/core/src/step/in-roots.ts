import { CountersignError } from '@countersign/protocol';
import type { WorldSnapshot } from '../memory/world-snapshot.js';
import { contains, NO_RULES, sandboxGrants } from '../policy/index.js';
import type { PlaceFinder } from './runtime.js';

/** Whether a folder is, by its name, inside a root of this world (SAFE3). */
export function isNamedInRoot({ world }: WorldSnapshot, folder: string): boolean {
  return world.settings.roots?.some((root) => contains(root, folder)) === true;
}

/** The real path of a world's folder, or of the given one. Undefined if the world may not use it. */
export function folderOf(findPlace: PlaceFinder, snapshot: WorldSnapshot, folder?: string): string | undefined {
  const { world } = snapshot;
  const settings = folder === undefined ? world.settings : { ...world.settings, workingDirectory: folder };
  try {
    return findPlace({ ...snapshot, world: { ...world, settings } }).workingDirectory;
  } catch {
    return undefined;
  }
}

/**
 * Adds what rules open to commands in the sandbox. A folder that is named inside a root must be there now: since it was chosen, someone
 * may have replaced it by a link, out of the root or to the folder of another world.
 */
export function withSandboxGrants(findPlace: PlaceFinder): PlaceFinder {
  const leaves = (snapshot: WorldSnapshot, folder: string): boolean => {
    if (!isNamedInRoot(snapshot, folder)) return false;
    const real = folderOf(findPlace, snapshot, folder);
    const isThere = (root: string): boolean =>
      contains(root, folder) &&
      `${folderOf(findPlace, snapshot, root)}${plain(folder).slice(plain(root).length)}` === real;
    return snapshot.world.settings.roots?.some(isThere) !== true;
  };
  return (snapshot) => {
    const place = findPlace(snapshot);
    const { workingDirectory } = snapshot.world.settings;
    if (workingDirectory !== undefined && leaves(snapshot, workingDirectory)) {
      const detail = `the working folder ${workingDirectory} is not in the roots of this world, or a link leads to it; choose another folder`;
      throw new CountersignError('invalid', detail, { field: 'workingDirectory' });
    }
    const grants = sandboxGrants({ admin: snapshot.adminPolicy, world: snapshot.policy, agent: NO_RULES }, place);
    const folders = grants.folders.filter((folder) => !leaves(snapshot, folder));
    return folders.length === 0 && grants.mayReach === undefined ? place : { ...place, grants: { ...grants, folders } };
  };
}

function plain(folder: string): string {
  return folder.replace(/\/+$/, '');
}
