import { ChangeConflict } from '../plan/change-conflict.js';
import type { MovedRef, StayingRef } from './git-change.js';
import { readDraftRefs } from './read-draft.js';
import { inRepository, isMovable, readRefs, type Refs } from './refs.js';
import { GitFailed, runGit, type InSandbox } from './run-git.js';

export interface DraftRefs {
  readonly moves: readonly MovedRef[];
  readonly stays: readonly StayingRef[];
  /** The commit that the draft has checked out. */
  readonly tip?: string;
  /** Objects that the folder has now. */
  readonly known: readonly string[];
  /** The refs of the folder now. */
  readonly now: Refs;
}

type RefFiles = Omit<Refs, 'format'>;

const MOST_MOVED = 1_000;

/**
 * Compares three sets of refs: when the run started, in the draft, and in the folder now. Rejects with `ChangeConflict` if both the program and
 * somebody else moved the same ref.
 */
export async function findDraftRefs({
  workingDirectory,
  inSandbox,
  branch,
}: {
  readonly workingDirectory: string;
  readonly inSandbox: InSandbox;
  readonly branch?: string | undefined;
}): Promise<DraftRefs> {
  const { base, drafted } = await readDraftRefs(inSandbox);
  const now = await readRefs(workingDirectory);
  const elsewhere = await checkedOutElsewhere(workingDirectory);
  const moves: MovedRef[] = [];
  const stays: StayingRef[] = [];
  const conflicts: string[] = [];
  for (const name of [...new Set([...Object.keys(base.refs), ...Object.keys(drafted.refs)])].toSorted()) {
    const [from, to] = [base.refs[name], drafted.refs[name]];
    if (from === to || to === now.refs[name]) continue;
    const ref = { name, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
    const isOurs = to === undefined && name === now.head;
    const why = isOurs ? 'checked-out' : whyStays(name, { drafted, now, elsewhere });
    if (why !== undefined) stays.push({ ...ref, why });
    else if (branch !== undefined && (from !== undefined || name === drafted.head))
      stays.push({ ...ref, why: 'branch-mode' });
    else if (from === now.refs[name]) moves.push(ref);
    else conflicts.push(name);
  }
  if (conflicts.length > 0) throw new ChangeConflict(conflicts);
  if (moves.length > MOST_MOVED) throw new GitFailed(`the run moved more than ${MOST_MOVED} refs`);
  stays.push(...movedLinks(base, drafted));
  const tip = drafted.head?.startsWith('refs/') === true ? drafted.refs[drafted.head] : drafted.head;
  const known = [...new Set([...Object.values(now.refs), ...headCommit(now)])];
  return { moves, stays, known, now, ...(tip === undefined ? {} : { tip }) };
}

function whyStays(
  name: string,
  { drafted, now, elsewhere }: { drafted: RefFiles; now: RefFiles; elsewhere: ReadonlySet<string> },
): StayingRef['why'] | undefined {
  if (name in drafted.symbolic || name in now.symbolic) return 'other-ref';
  if (!/^refs\/(?:heads|tags)\//.test(name)) return 'other-ref';
  if (!isMovable(name)) return 'name';
  return elsewhere.has(name) ? 'checked-out' : undefined;
}

/** HEAD and other symbolic refs that the draft points elsewhere. */
function movedLinks(base: RefFiles, drafted: RefFiles): StayingRef[] {
  const links = (refs: RefFiles): Record<string, string | undefined> => ({ ...refs.symbolic, HEAD: refs.head });
  const [before, after] = [links(base), links(drafted)];
  // A detached HEAD moves with its commits.
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted().flatMap((name): StayingRef[] => {
    const [from, to] = [before[name], after[name]];
    if (from === to) return [];
    return [{ name, why: 'other-ref', ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }];
  });
}

function headCommit({ head }: Refs): string[] {
  return head === undefined || head.startsWith('refs/') ? [] : [head];
}

/** Branches of other working trees of this repository. Moving one would make its files look changed. */
async function checkedOutElsewhere(workingDirectory: string): Promise<Set<string>> {
  const listed = String(await runGit([...inRepository(workingDirectory), 'worktree', 'list', '--porcelain', '-z']));
  const branches = listed.split('\0\0').slice(1);
  return new Set(branches.flatMap((one) => one.split('\0').flatMap((line) => /^branch (.+)$/.exec(line)?.[1] ?? [])));
}
