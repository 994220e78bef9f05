import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { showPath } from '../files/file-names.js';
import type { PlannedChange } from '../plan/planned-change.js';
import { namedInSettings } from '../runs-later/named-in-settings.js';
import { commitRest } from './commit-rest.js';
import { findDraftRefs, type DraftRefs } from './draft-refs.js';
import { NO_TREE_PATHS, type GitChange, type MovedRef, type StayingRef } from './git-change.js';
import { judgeRefs, pathsOf, reachedFrom, type ReadRef } from './judge-refs.js';
import { readCommits, readMoves, type NewCommit } from './read-commits.js';
import {
  checkQuarantine,
  hashFile,
  inQuarantine,
  openQuarantine,
  packDraft,
  packQuarantine,
  PACK_FILE,
} from './read-draft.js';
import type { Quarantine } from './read-draft.js';
import type { Refs } from './refs.js';
import { GitFailed, type InSandbox } from './run-git.js';

/** A run that has ended, in a folder with a repository. All its writers must be dead, and the folder locked. */
export interface EndedDraft {
  /** Private to us: gets the pack. */
  readonly root: string;
  readonly workingDirectory: string;
  readonly inSandbox: InSandbox;
  /** Puts all commits, and what isn't committed, on a new branch, and leaves the working tree as it is. */
  readonly branch?: { readonly name: string; readonly program: string } | undefined;
  readonly isProtected?: ((path: string) => boolean) | undefined;
}

/**
 * Reads what the draft's repository adds, without believing anything that it says: refs are claims, each object is checked, and commits are
 * read only after that, in a sandbox that doesn't see the draft. On a branch, `files` become one last commit. Rejects with `ChangeConflict`
 * if someone else moved the same ref.
 */
export async function readGitChange(draft: EndedDraft, files?: PlannedChange): Promise<GitChange> {
  try {
    return await readDraft(draft, files);
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    const said = showPath(error.message).slice(-300);
    const stays: StayingRef[] = [{ name: '.git', why: 'unreadable', paths: [said] }];
    // On a branch, files must not be applied in place of the commits.
    const branch = draft.branch === undefined ? {} : { branch: draft.branch.name };
    return { refs: [], stays, commits: [], paths: NO_TREE_PATHS, ...branch };
  } finally {
    await rm(join(draft.root, 'git'), { recursive: true, force: true });
  }
}

async function readDraft(draft: EndedDraft, files: PlannedChange | undefined): Promise<GitChange> {
  const { root, workingDirectory, inSandbox, isProtected, branch } = draft;
  const found = await findDraftRefs({ ...draft, branch: branch?.name });
  const { known, now } = found;
  const { format } = now;
  const onBranch = branch === undefined ? undefined : branchRef(found, branch.name);
  const all = [...found.moves, ...(onBranch?.to === undefined ? [] : [onBranch])];
  const tips = [...new Set(all.flatMap(({ to }) => (to === undefined ? [] : [to])))];
  const to = join(root, PACK_FILE);
  await rm(to, { force: true });
  if (tips.length > 0) await packDraft(inSandbox, { format, wanted: tips, known, to });
  const quarantine = await openQuarantine(root, workingDirectory, { format, tips });
  const reading = { inSandbox, format, quarantine };
  const { reads, noCommits } = await readTargets(all, quarantine);
  const reached = { tips: reads.flatMap(({ ref }) => ref.to ?? []), known };
  if (reached.tips.length > 0) await checkQuarantine(quarantine, reached);
  const commits = reached.tips.length === 0 ? [] : await readCommits(reading, reached);
  const moved = reads.filter((one) => one.was !== undefined && one.commit !== undefined);
  const between = await readMoves(
    reading,
    moved.map(({ was = '', commit = '' }) => ({ from: was, to: commit })),
  );
  moved.forEach((one, at) => (one.between = between[at] ?? []));
  const { paths: named } = await namedInSettings(workingDirectory);
  const judged = judgeRefs(reads, commits, { workingDirectory, named, isProtected });
  const stays = [...found.stays, ...noCommits, ...judged.stays];
  const sealing: Sealing = { root, quarantine, known, commits, stays };
  if (branch === undefined || onBranch === undefined) return await seal(judged.moves, sealing);
  const mine = judged.moves.find(({ ref }) => ref.name === onBranch.name);
  const others = judged.moves.filter((one) => one !== mine);
  const rest = await restOf(files, mine?.commit ?? commitOf(now), { quarantine, program: branch.program });
  const tip = rest?.id ?? mine?.commit;
  // A branch where the folder is already holds nothing.
  const isNothing = tip === undefined || (rest === undefined && reachedFrom([tip], commits).length === 0);
  const branchMoves = isNothing ? [] : [{ ref: { name: onBranch.name, to: tip }, commit: mine?.commit, between: [] }];
  const sealed = await seal([...branchMoves, ...others], { ...sealing, rest });
  return { ...sealed, branch: onBranch.name.replace('refs/heads/', '') };
}

/** A free name, and what the draft has checked out. */
function branchRef({ now, tip }: DraftRefs, wanted: string): MovedRef {
  const isFree = (name: string): boolean =>
    Object.keys(now.refs).every((one) => one !== name && !one.startsWith(`${name}/`) && !name.startsWith(`${one}/`));
  for (let number = 1; ; number += 1) {
    const short = number === 1 ? wanted : `${wanted}-${number}`;
    // Somebody's branch `run` leaves no room for `run/NAME`.
    const name = [short, short.replaceAll('/', '-')].map((one) => `refs/heads/${one}`).find(isFree);
    if (name !== undefined) return { name, ...(tip === undefined ? {} : { to: tip }) };
  }
}

function commitOf({ head, refs }: Refs): string | undefined {
  return head?.startsWith('refs/') === true ? refs[head] : head;
}

type ReadTarget = ReadRef & { between: ReadRef['between'] };

/** Finds the commits that targets lead to. Branches must name commits, and tags must lead to one. */
async function readTargets(
  all: readonly MovedRef[],
  quarantine: Quarantine,
): Promise<{ reads: ReadTarget[]; noCommits: StayingRef[] }> {
  const ask = async (oids: readonly (string | undefined)[]): Promise<(string | undefined)[]> => {
    // No object has the id of zeros.
    const input = oids.map((oid = '0'.repeat(40)) => `${oid}^{commit}\n`).join('');
    const answers = await inQuarantine(quarantine, ['cat-file', '--batch-check=%(objecttype) %(objectname)'], {
      input,
    });
    return answers.split('\n').map((line) => /^commit (\S+)$/.exec(line)?.[1]);
  };
  const [to, from] = [await ask(all.map((ref) => ref.to)), await ask(all.map((ref) => ref.from))];
  const reads: ReadTarget[] = [];
  const noCommits: StayingRef[] = [];
  all.forEach((ref, at) => {
    const commit = to[at];
    const isWrong = ref.to !== undefined && (commit === undefined || (isBranch(ref) && commit !== ref.to));
    if (isWrong) noCommits.push({ ...ref, why: 'no-commit' });
    else reads.push({ ref, commit, was: from[at], between: [] });
  });
  return { reads, noCommits };
}

function isBranch({ name }: MovedRef): boolean {
  return name.startsWith('refs/heads/');
}

async function restOf(
  files: PlannedChange | undefined,
  parent: string | undefined,
  how: { quarantine: Quarantine; program: string },
): Promise<Awaited<ReturnType<typeof commitRest>>> {
  return files === undefined ? undefined : await commitRest(files, { ...how, parent });
}

interface Sealing {
  readonly root: string;
  readonly quarantine: Quarantine;
  readonly known: readonly string[];
  readonly commits: readonly NewCommit[];
  readonly stays: readonly StayingRef[];
  readonly rest?: Awaited<ReturnType<typeof commitRest>>;
}

/** Packs what the moved refs need, and only that. */
async function seal(
  moves: readonly ReadRef[],
  { root, quarantine, known, commits, stays, rest }: Sealing,
): Promise<GitChange> {
  const refs = moves.map(({ ref }) => ref);
  const file = join(root, PACK_FILE);
  await rm(file, { force: true });
  const tips = refs.flatMap(({ to }) => (to === undefined ? [] : [to]));
  const isNew = tips.length > 0 && (await packQuarantine(quarantine, { tips, known, to: file }));
  if (!isNew) await rm(file, { force: true });
  const reached = reachedFrom(
    moves.map(({ commit }) => commit),
    commits,
  );
  const listed = reached.map(({ id, author, message, paths }) => ({ id, author, message, files: paths.length }));
  const last =
    rest === undefined ? [] : [{ id: rest.id, author: OWN_AUTHOR, message: rest.message, files: rest.paths }];
  return {
    refs,
    stays,
    nameable: moves.filter((one) => onlyGains(one, commits)).map(({ ref }) => ref.name),
    commits: [...listed, ...last],
    paths: pathsOf(moves, reached),
    ...(isNew ? { pack: await hashFile(file) } : {}),
  };
}

/** A new ref, or one whose old commit is a parent of a new one that it reaches. Others may lose commits. */
function onlyGains({ ref, was, commit }: ReadRef, commits: readonly NewCommit[]): boolean {
  if (ref.to === undefined) return false;
  if (ref.from === undefined) return true;
  return was !== undefined && reachedFrom([commit], commits).some(({ parents }) => parents.includes(was));
}

const OWN_AUTHOR = 'Countersign <countersign@localhost>';
