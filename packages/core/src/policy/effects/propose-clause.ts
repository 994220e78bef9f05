import type { EffectPaths } from '../../ports/tools/tool.js';
import { formatPattern } from '../grants/format-pattern.js';

/** People don't read more folders in a rule before approving it. */
const MAX_FOLDERS = 2;

/**
 * The narrowest folders that contain everything a call did, as the end of an allow rule. Undefined if it changed nothing, a file that is in no
 * folder, or files in more than two folders.
 */
export function proposeClause({ added, changed, removed }: EffectPaths): string | undefined {
  const written = foldersOf([...added, ...changed]);
  const gone = foldersOf(removed);
  if (written === undefined || gone === undefined || written.length + gone.length === 0) return undefined;
  return `writing ${list(written)} removing ${list(gone)}`;
}

function list(folders: readonly string[]): string {
  if (folders.length === 0) return 'nothing';
  return folders.map((folder) => formatPattern([[{ text: `${folder}/` }, { stars: 2 }]])).join(' ');
}

/** One folder for each top folder. Undefined if there are too many, or if a path is at the top. */
function foldersOf(paths: readonly string[]): readonly string[] | undefined {
  const groups = new Map<string, string[][]>();
  for (const path of paths) {
    const segments = path.split('/');
    const [top = ''] = segments;
    const group = groups.get(top);
    if (group === undefined) groups.set(top, [segments]);
    else group.push(segments);
  }
  if (groups.size > MAX_FOLDERS) return undefined;
  const folders = [...groups.values()].map(folderOf);
  return folders.every((folder) => folder !== undefined) ? folders : undefined;
}

function folderOf(paths: readonly (readonly string[])[]): string | undefined {
  const isFolder = (path: readonly string[]): boolean =>
    paths.some((other) => other.length > path.length && path.every((name, at) => other[at] === name));
  let [common = []]: readonly (readonly string[])[] = paths;
  for (const path of paths) {
    const folder = path.length === 1 && isFolder(path) ? path : path.slice(0, -1);
    const differs = common.findIndex((name, at) => folder[at] !== name);
    if (differs !== -1) common = common.slice(0, differs);
  }
  return common.length === 0 ? undefined : common.join('/');
}
