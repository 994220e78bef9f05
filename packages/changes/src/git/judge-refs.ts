import { showPath } from '../files/file-names.js';
import type { LeftOut } from '../inspect/left-out.js';
import type { MovedRef, StayingRef, TreePaths } from './git-change.js';
import { judgeTreePath, type PathRules } from './judge-path.js';
import type { NewCommit, TreePath } from './read-commits.js';

/** A ref that would move, the commit that its new target leads to, and the paths that differ between its targets. */
export interface ReadRef {
  readonly ref: MovedRef;
  readonly commit?: string | undefined;
  /** The commit that its old target leads to. */
  readonly was?: string | undefined;
  readonly between: readonly TreePath[];
}

const MOST_NAMED = 10;

/** A ref stays if one of the commits that it would bring, or its move, changes a path that no draft may change. */
export function judgeRefs(
  all: readonly ReadRef[],
  commits: readonly NewCommit[],
  rules: PathRules,
): { moves: ReadRef[]; stays: StayingRef[] } {
  const wrongIn = (paths: readonly TreePath[]): LeftOut[] =>
    paths.flatMap((one) => {
      const why = judgeTreePath(one, rules);
      return why === undefined ? [] : [{ path: showPath(one.path), why }];
    });
  const wrong = new Map(commits.map(({ id, paths }) => [id, wrongIn(paths)]));
  const moves: ReadRef[] = [];
  const stays: StayingRef[] = [];
  for (const read of all) {
    const brought = reachedFrom([read.commit], commits).flatMap(({ id }) => wrong.get(id) ?? []);
    const found = [...wrongIn(read.between), ...brought];
    const [first] = found;
    if (first === undefined) moves.push(read);
    else {
      const paths = [...new Set(found.map(({ path }) => path))].slice(0, MOST_NAMED);
      stays.push({ ...read.ref, why: first.why, paths });
    }
  }
  return { moves, stays };
}

/** The new commits that these reach, oldest first. */
export function reachedFrom(tips: readonly (string | undefined)[], commits: readonly NewCommit[]): NewCommit[] {
  const reached = new Set(tips);
  // Children come after their parents.
  for (const { id, parents } of commits.toReversed()) if (reached.has(id)) for (const one of parents) reached.add(one);
  return commits.filter(({ id }) => reached.has(id));
}

/** All paths that refs and commits change, each once. */
export function pathsOf(refs: readonly ReadRef[], commits: readonly NewCommit[]): TreePaths {
  const kinds = { added: new Set<string>(), changed: new Set<string>(), removed: new Set<string>() };
  for (const one of [...refs.flatMap(({ between }) => between), ...commits.flatMap(({ paths }) => paths)]) {
    kinds[one.change].add(showPath(one.path));
  }
  const { added, changed, removed } = kinds;
  return { added: [...added], changed: [...changed], removed: [...removed] };
}
