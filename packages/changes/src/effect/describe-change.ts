import type { EffectPaths } from '@countersign/core/ports';
import type { Effect } from '@countersign/protocol';
import { showPath } from '../files/file-names.js';
import type { PlannedChange } from '../plan/planned-change.js';
import { effectOf, type EffectLimits, type Rehearsed } from './effect-of.js';
import type { GitChange } from '../git/git-change.js';
import { effectPaths, MAX_PATHS } from './effect-paths.js';
import { listChanges, type Change } from './list-changes.js';

/** What a change does: for people and their signature, and for rules. */
export interface DescribedChange {
  readonly effect: Effect;
  /** Absent if there are too many. Rules then treat the effect as unknown. */
  readonly paths?: EffectPaths;
  /** The size of its new files. */
  readonly bytes: number;
  readonly changes: readonly Change[];
}

/** Reads only the change, and the old files that it replaces. Rejects if the signal aborts. */
export async function describeChange(
  change: PlannedChange,
  about: Rehearsed,
  { signal, limits, changes: known }: { signal?: AbortSignal; limits?: EffectLimits; changes?: readonly Change[] } = {},
): Promise<DescribedChange> {
  const changes = known ?? (await listChanges(change, signal));
  const how = { ...(signal === undefined ? {} : { signal }), ...(limits === undefined ? {} : { limits }) };
  const effect = await effectOf(change, changes, about, how);
  const paths = withGit(effectPaths(changes, about.leftOut), change.git);
  const bytes = changes.reduce((sum, one) => sum + (one.do === 'put' ? one.bytes : 0), 0);
  return { effect, bytes, changes, ...(paths === undefined ? {} : { paths }) };
}

/** Rules judge the paths of commits like those of files, and refs by their names. */
function withGit(paths: EffectPaths | undefined, git: GitChange | undefined): EffectPaths | undefined {
  if (paths === undefined || git === undefined) return paths;
  const { paths: tree, refs } = git;
  const both = (a: readonly string[], b: readonly string[]): string[] => [...new Set([...a, ...b])];
  const all: EffectPaths = {
    ...paths,
    added: both(paths.added, tree.added),
    changed: both(paths.changed, tree.changed),
    removed: both(paths.removed, tree.removed),
    ...(refs.length === 0 ? {} : { refs: refs.map(({ name }) => showPath(name)) }),
  };
  return all.added.length + all.changed.length + all.removed.length + refs.length > MAX_PATHS ? undefined : all;
}
