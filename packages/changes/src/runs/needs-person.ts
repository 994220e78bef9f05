import type { Change } from '../effect/list-changes.js';
import { readVersion } from '../effect/list-changes.js';
import type { GitChange } from '../git/git-change.js';
import { isInside } from '../files/is-inside.js';
import { whyHidden } from '../inspect/new-files.js';

/**
 * The paths and refs of a run's change that no rule can allow (RUN18): new executables, whatever has a dot-name or is in a dot-folder, ignored paths that
 * a person has included, and refs that lose commits.
 */
export function needsPerson(
  changes: readonly Change[],
  { git, include }: { git: GitChange | undefined; include: readonly string[] },
): string[] {
  const isIncluded = (path: string): boolean => include.some((one) => isInside(one, path) || isInside(path, one));
  const nameable = new Set(git?.nameable);
  return [
    ...changes.flatMap((change) => (isPersons(change) || isIncluded(change.path) ? [change.path] : [])),
    ...(git?.refs.flatMap(({ name }) => (nameable.has(name) ? [] : [name])) ?? []),
  ];
}

function isPersons(change: Change): boolean {
  const { path } = change;
  switch (change.do) {
    case 'keep':
      return change.mode !== change.was.mode && whyHidden(path, []) !== undefined;
    case 'remove':
      return change.was.some(([below]) => whyHidden(below === '' ? path : `${path}/${below}`, []) !== undefined);
    case 'put': {
      if (whyHidden(path, []) !== undefined) return true;
      if (change.kind !== 'file' || (change.mode & 0o111) === 0) return false;
      const was = change.was === '' ? undefined : readVersion(change.was);
      return was === undefined || was.kind !== 'file' || (was.mode & 0o111) === 0;
    }
  }
}
