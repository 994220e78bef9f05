import { existsSync, lstatSync, readdirSync, realpathSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { gate } from '../../words/gate.js';
import { ancestors } from '../sources/source.js';

const OTHERS_WRITE = 0o002;
const GROUP_WRITE = 0o020;
const STICKY = 0o1000;
const OTHERS_READ = 0o004;
const OTHERS_ENTER = 0o001;

/**
 * Why these programs can't be the hook of every user: a user could change them, or couldn't run them. Undefined if they can. `program`: ours, with
 * everything that it loads.
 */
export function problemOfPrograms([node = '', program = '']: readonly string[]): string | undefined {
  const gone = [node, program].find((path) => !existsSync(path));
  if (gone !== undefined) return gate.programGone(gone);
  const real = realpathSync(program);
  const folder = dirname(dirname(real));
  const loaded = ['bin', 'dist'].flatMap((name) => everythingIn(join(folder, name)));
  const paths = [realpathSync(node), program, real, join(folder, 'package.json'), ...loaded];
  const all = [...new Set(paths.flatMap((path) => ancestors(path)))];
  const found = all.map((path) => [path, problemOf(path)] as const).find(([, problem]) => problem !== undefined);
  if (found === undefined) return undefined;
  return found[1] === 'changeable' ? gate.programChangeable(found[0]) : gate.programUnreadable(found[0]);
}

/** The first of the folders that these files are in, as far as they exist, that others can change or can't enter. */
export function unsuitableFolder(files: readonly string[]): string | undefined {
  const folders = new Set(files.flatMap((file) => ancestors(dirname(file))));
  return [...folders].find((folder) => existsSync(folder) && problemOf(realpathSync(folder)) !== undefined);
}

function problemOf(path: string): 'changeable' | 'unreadable' | undefined {
  const stats = lstatSync(path);
  if (canBeChanged(stats)) return 'changeable';
  const needed = stats.isDirectory() ? OTHERS_ENTER : OTHERS_READ;
  return (stats.mode & needed) === 0 ? 'unreadable' : undefined;
}

/** By somebody who isn't root. In a sticky folder, nobody can replace what belongs to root. */
function canBeChanged(stats: Stats): boolean {
  if (stats.uid !== 0) return true;
  if (stats.isSymbolicLink()) return false;
  if (stats.isDirectory() && (stats.mode & STICKY) !== 0) return false;
  return (stats.mode & OTHERS_WRITE) !== 0 || ((stats.mode & GROUP_WRITE) !== 0 && stats.gid !== 0);
}

function everythingIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true }).map((entry) =>
    join(entry.parentPath, entry.name),
  );
}
