import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '@countersign/core/ports';
import type { Effect, RunEffect } from '@countersign/protocol';
import { readRestored } from '../apply/restored.js';
import { compareContents, contentsOf } from '../effect/contents.js';
import { describeChange } from '../effect/describe-change.js';
import { listChanges } from '../effect/list-changes.js';
import { readDiskClock } from '../files/disk-clock.js';
import { changedSettings } from '../git/changed-settings.js';
import { describeGitChange, isEmptyGitChange, type GitChange } from '../git/git-change.js';
import { readGitChange } from '../git/read-git-change.js';
import type { InSandbox } from '../git/run-git.js';
import { noteLeftOut, setAside, type NotApplied } from '../git/set-aside.js';
import type { LeftOut } from '../inspect/left-out.js';
import type { LayerRules } from '../inspect/why-left-out.js';
import { ChangeConflict } from '../plan/change-conflict.js';
import type { StillSeen } from '../plan/find-emptied.js';
import { planChange } from '../plan/plan-change.js';
import { isEmptyPlan, type FolderPlan } from '../plan/plan.js';
import { writeRecord } from '../seal/sealed-change.js';
import { changedOutside, MOST_LOOKED_AT, type ChangedOutside } from './changed-outside.js';
import { needsPerson } from './needs-person.js';
import { moveRun, refuseUnlessSealable, RunRefused, type RunFolders } from './run-folders.js';
import { readLook } from './send-back.js';
import { checkBranch, hasStartRefs } from './start-run.js';

/** How to seal a run that has ended. */
export interface SealRun {
  readonly rules: LayerRules;
  /** Which paths the program still saw at the end, through a mount of its draft. */
  readonly stillSeen: StillSeen;
  readonly about: RunEffect;
  /** Ignored paths that a person wants applied all the same. */
  readonly include?: readonly string[] | undefined;
  /** Puts the commits on this branch, in place of the one that the run started with. */
  readonly branch?: string | undefined;
  readonly signal: AbortSignal;
  /** Reads the draft's repository. */
  readonly inSandbox: InSandbox;
}

/** See `KeptRuns.seal`. */
export async function sealRun(
  { place, must, locked }: RunFolders,
  id: string,
  { rules, stillSeen, about: described, include = [], branch: wanted, signal, inSandbox }: SealRun,
): Promise<Effect | undefined> {
  const first = await must(id);
  const { root } = first;
  const { folder: workingDirectory, since: start, program } = first.record;
  checkBranch(wanted, hasStartRefs(root));
  const name = hasStartRefs(root) ? (wanted ?? first.record.branch) : undefined;
  // On a branch, what others changed meanwhile is no conflict: the working tree stays as it is.
  const since = name === undefined ? start : await readDiskClock(join(root, 'clock'));
  const layer = {
    ...({ root, upper: join(root, 'upper'), workingDirectory, since, stillSeen, skipsSame: true } as const),
    restored: await readRestored(root),
    noteLeftOut: (leftOut: readonly LeftOut[]) => noteLeftOut(root, leftOut),
  };
  refuseUnlessSealable(first);
  const branch = name === undefined ? undefined : { name, program: program.join(' ') };
  try {
    if (!existsSync(workingDirectory)) throw new Error(`there is no folder ${workingDirectory} any more`);
    const notApplied = await setAside(layer, include);
    const settings = await changedSettings(root, workingDirectory);
    return await planChange(place, layer, { ...rules, withoutGit: true }, async (draft, others) => {
      const run = await must(id);
      refuseUnlessSealable(run);
      const git = hasStartRefs(root)
        ? await readGitChange({ root, workingDirectory, inSandbox, branch, isProtected: rules.isProtected }, draft)
        : undefined;
      const leftOut = [...others, ...settings];
      const isUnchanged = isEmptyPlan(draft.plan) && (git === undefined || isEmptyGitChange(git));
      if (isUnchanged && described.login === undefined) {
        const lost = [...leftOut.map(({ path }) => path), ...(git?.stays ?? []).map(({ name: ref }) => ref)];
        await moveRun(run, { state: 'unchanged', ...(lost.length === 0 ? {} : { reason: cannotApply(lost) }) });
        return undefined;
      }
      if (git?.branch !== undefined && isEmptyGitChange(git) && !isEmptyPlan(draft.plan)) {
        const reason = `The commits could not be read: ${git.stays.flatMap(({ paths = [] }) => paths).join(', ')}`;
        await moveRun(run, { state: 'kept', why: 'failed', reason });
        return undefined;
      }
      const outside = await changedOutside(
        workingDirectory,
        start,
        pathsOf(draft.plan),
        MOST_LOOKED_AT,
        layer.restored,
      );
      const changes = await listChanges(draft, signal);
      const contents = contentsOf(changes, git);
      const look = await readLook(root);
      const about = {
        ...aboutWith(withOutside(described, outside), git, notApplied),
        ...(look === undefined ? {} : { sinceLook: compareContents(look, contents) }),
      };
      const result = { exitCode: about.exitCode, stdout: '', stderr: '' };
      const rest = { leftOut, result, run: about };
      const change = git === undefined ? draft : { ...draft, git };
      const { effect, paths, bytes } = await describeChange(change, rest, { signal, changes });
      const { plan } = draft;
      const own = { kind: 'kept', key: id, agent: first.record.agentId, workingDirectory } as const;
      const found = {
        plan,
        bytes,
        effect,
        needsPerson: needsPerson(changes, { git, include }),
        contents,
        ...(git === undefined ? {} : { git }),
      };
      await writeRecord(root, { ...own, ...found, ...rest, ...(paths === undefined ? {} : { paths }) });
      return effect;
    });
  } catch (error) {
    if (error instanceof RunRefused || signal.aborted) throw error;
    const because =
      error instanceof ChangeConflict
        ? ({
            why: 'conflict',
            reason: othersChanged(error.conflicts),
          } as const)
        : ({ why: 'failed', reason: errorMessage(error) } as const);
    await locked(id, async (run) => {
      refuseUnlessSealable(run);
      await moveRun(run, { state: 'kept', ...because });
    });
    return undefined;
  }
}

/** The paths that a plan adds or changes, without those in folders that it adds or removes as a whole. */
function pathsOf({ path, inner, steps }: FolderPlan): Set<string> {
  return new Set([...steps.map(({ name }) => join(path, name)), ...inner.flatMap((one) => [...pathsOf(one)])]);
}

function withOutside(about: RunEffect, { paths, complete }: ChangedOutside): RunEffect {
  const note = `The folder has more than ${MOST_LOOKED_AT.toLocaleString('en')} files, and not all were searched for changes by others.`;
  return {
    ...about,
    ...(paths.length === 0 ? {} : { changedOutside: [...paths] }),
    ...(complete ? {} : { notes: [...(about.notes ?? []), note] }),
  };
}

const MOST_IGNORED = 1_000;

function aboutWith(about: RunEffect, git: GitChange | undefined, notApplied: readonly NotApplied[]): RunEffect {
  const { commits = [], refs = [], unlisted = 0, branch } = git === undefined ? {} : describeGitChange(git);
  const more = unlisted + Math.max(0, notApplied.length - MOST_IGNORED);
  return {
    ...about,
    ...(more === 0
      ? {}
      : { notes: [...(about.notes ?? []), `${more} more commits, refs or ignored paths are not listed.`] }),
    ...(commits.length === 0 ? {} : { commits }),
    ...(refs.length === 0 ? {} : { refs }),
    ...(notApplied.length === 0 ? {} : { notApplied: notApplied.slice(0, MOST_IGNORED) }),
    ...(branch === undefined ? {} : { branch }),
  };
}

function cannotApply(paths: readonly string[]): string {
  return `Nothing of what it changed can be applied: ${firstOf(paths)}`;
}

export function othersChanged(conflicts: readonly string[]): string {
  return `Others changed the same files or branches since it started: ${firstOf(conflicts)}`;
}

function firstOf(paths: readonly string[]): string {
  return paths.slice(0, 10).join(', ');
}
