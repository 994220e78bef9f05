import { lstatSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isInside, realPath } from '@countersign/changes';

/**
 * Why a run can't work in a folder whose Git folder lies outside, as that of a worktree or a submodule does, and what helps. Undefined if it can.
 */
export function explainOutsideGit(folder: string): string | undefined {
  const entry = join(folder, '.git');
  const stats = lstatSync(entry, { throwIfNoEntry: false });
  if (stats === undefined || stats.isDirectory()) return undefined;
  const named = stats.isFile() ? /^gitdir: (.+)$/m.exec(readFileSync(entry, 'utf8'))?.[1] : entry;
  const git = named === undefined ? undefined : realPath(resolve(folder, named));
  if (git === undefined || isInside(folder, git)) return undefined;
  return `the Git folder of ${folder} is outside of it, at ${git}, so a run can't see it. Run it in a clone: git clone ${quote(folder)} ${quote(`${folder}-clone`)}`;
}

function quote(path: string): string {
  return /^[\w./+-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
