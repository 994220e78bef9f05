import { existsSync } from 'node:fs';
import { chmod, link, lstat, mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Undos, UndoState } from '@countersign/core/ports';
import { lockFolder, type ProcessLock } from '../files/lock-folder.js';
import { describeGitChange } from '../git/git-change.js';
import { findMovedRefs } from '../git/move-refs.js';
import { PACK_FILE } from '../git/read-draft.js';
import { reverseGitChange } from '../git/reverse-git-change.js';
import { appliedFiles, type PlannedChange } from '../plan/planned-change.js';
import { checkPlan } from '../plan/check-plan.js';
import { readDiskClock, type DiskMoment } from '../files/disk-clock.js';
import { ChangeConflict } from '../plan/change-conflict.js';
import { keptFolders } from '../apply/kept-folders.js';
import { describeChange } from '../effect/describe-change.js';
import type { Rehearsed } from '../effect/effect-of.js';
import { readVersion } from '../effect/list-changes.js';
import { makeDraftsFolder, newCallFolder, UNDO, UNDO_MS } from '../apply/call-folders.js';
import { applyChange, discardFolder } from '../apply/apply-change.js';
import { isEscaped } from '../files/file-names.js';
import type { FolderPlan, Step } from '../plan/plan.js';
import { removeTree } from '../files/remove-tree.js';
import { readDrafted, type DraftedFiles } from './drafted-files.js';
import { linkTree } from './link-tree.js';
import { refreshPlan } from './refresh-plan.js';
import { reversePlan } from './reverse-plan.js';
import { readRecord, writeRecord, type KeptUndo, type UndoRecord } from './undo-record.js';

/** How much of what calls have replaced and removed is kept. */
export interface UndoLimits {
  readonly ms: number;
  readonly bytes: number;
  readonly count: number;
}

const UNDO_LIMITS: UndoLimits = { ms: UNDO_MS, bytes: 1024 ** 3, count: 200 };

/** What applied calls replaced and removed, for as long as they can be undone. Survives restarts. */
export interface KeptUndos extends Undos {
  /**
   * Applies a draft like `applyChange`, and keeps what is needed to revert it. `others`: calls that are reverted with this one. Only the holder of the
   * folder's lock may call this.
   */
  apply(callId: string, draft: PlannedChange, now: DiskMoment, others?: readonly string[]): Promise<void>;
  /** Keeps what is needed to revert a change that was made without a draft. Never rejects: the change is done. Only the holder of the folder's lock may call this. */
  keep(callId: string, changed: ChangedFolder): Promise<void>;
}

/** What a call has changed in a working folder. */
interface ChangedFolder extends Pick<PlannedChange, 'plan' | 'workingDirectory' | 'git'> {
  readonly drafted: DraftedFiles;
  readonly others?: readonly string[];
  /** Puts the old files into a folder, at the paths where they were. */
  readonly moveOld: (upper: string) => Promise<void>;
}

/** Exists if undoing was tried and may have been rolled back. */
const TRIED = 'tried';
/** Undoing runs nothing. */
const NOTHING_RAN: Rehearsed = { leftOut: [], result: { exitCode: 0, stdout: '', stderr: '' } };

/** `owner` tells apart servers that share the folder: each lists and drops only its own. */
export function keptUndos(place: ProcessLock, owner: string, limits: UndoLimits = UNDO_LIMITS): KeptUndos {
  const { rootOf, calls } = keptFolders(place.folder, UNDO, owner);

  /** Records that this process has read. Reading all of them for each call would take longer than most calls. */
  const known = new Map<string, { record: UndoRecord; changedMs: number | undefined }>();

  const read = async (callId: string): Promise<UndoRecord | undefined> => {
    const changedMs = await changeTimeOf(rootOf(callId));
    const record = await readRecord(rootOf(callId));
    if (record === undefined || record.at + limits.ms <= Date.now()) return undefined;
    known.set(callId, { record, changedMs });
    return record;
  };

  /** Oldest first. Deletes what is too old. `known` may miss that another process has undone a call. */
  const readAll = async (how: 'known' | 'current'): Promise<{ callId: string; record: UndoRecord }[]> => {
    const all: { callId: string; record: UndoRecord }[] = [];
    const ids = new Set(await calls());
    for (const callId of known.keys()) if (!ids.has(callId)) known.delete(callId);
    for (const callId of ids) {
      const seen = known.get(callId);
      const isCurrent =
        seen !== undefined &&
        seen.record.at + limits.ms > Date.now() &&
        (how === 'known' || seen.changedMs === (await changeTimeOf(rootOf(callId))));
      const record = isCurrent ? seen.record : await read(callId);
      if (record === undefined) await drop(callId).catch(() => undefined);
      else all.push({ callId, record });
    }
    return all.toSorted((a, b) => a.record.at - b.record.at);
  };

  const drop = async (callId: string): Promise<void> => {
    known.delete(callId);
    await removeTree(rootOf(callId));
  };

  /** Drops the oldest ones until there is space for another one. */
  const makeSpace = async (bytes: number): Promise<void> => {
    const all = await readAll('known');
    const sizeOf = (record: UndoRecord): number => (record.kind === 'kept' ? record.bytes : 0);
    let space = limits.bytes - bytes - all.reduce((sum, { record }) => sum + sizeOf(record), 0);
    let count = limits.count - 1 - all.length;
    for (const { callId, record } of all) {
      if (space >= 0 && count >= 0) return;
      await drop(callId);
      space += sizeOf(record);
      count += 1;
    }
  };

  const keep = async (callId: string, changed: ChangedFolder): Promise<void> => {
    let bytes = oldBytes(changed.plan);
    if (bytes > limits.bytes || removesEscaped(changed.plan)) return;
    const { workingDirectory, drafted } = changed;
    const plan = await reversePlan(changed, drafted);
    const root = newCallFolder(place.folder);
    try {
      await mkdir(join(root, 'upper'), { recursive: true, mode: 0o700 });
      await changed.moveOld(join(root, 'upper'));
      const reversed =
        changed.git === undefined ? undefined : await reverseGitChange(changed.git, { root, workingDirectory });
      bytes += reversed?.bytes ?? 0;
      await makeSpace(bytes);
      const contents = Object.fromEntries(
        [...drafted].flatMap(([path, { content }]) => (content === undefined ? [] : [[path, content]])),
      );
      const git = reversed === undefined ? {} : { git: reversed.git };
      const { others = [] } = changed;
      const all = others.length === 0 ? {} : { callIds: [callId, ...others] };
      await writeRecord(root, {
        kind: 'kept',
        at: Date.now(),
        workingDirectory,
        plan,
        contents,
        ...git,
        ...all,
        bytes,
      });
      await drop(callId);
      await rename(root, rootOf(callId));
      for (const other of others) {
        await mkdir(rootOf(other), { mode: 0o700 });
        await writeRecord(rootOf(other), { kind: 'with', at: Date.now(), callId });
      }
    } catch (error) {
      await removeTree(root);
      throw error;
    }
  };

  const check = async (root: string, kept: KeptUndo): Promise<UndoState> => {
    const { workingDirectory } = kept;
    const draft = undoIn(root, kept);
    try {
      await checkPlan(draft);
      const moved = await findMovedRefs(workingDirectory, kept.git?.refs ?? []);
      if (moved.length > 0) return { kind: 'conflict', paths: moved };
    } catch (error) {
      if (error instanceof ChangeConflict) return { kind: 'conflict', paths: error.conflicts };
      throw error;
    }
    const { refs = [] } = kept.git === undefined ? {} : describeGitChange(kept.git);
    const run = refs.length === 0 ? {} : { run: { program: ['undo'], exitCode: 0, refs } };
    const { effect, paths } = await describeChange(draft, { ...NOTHING_RAN, ...run });
    const { callIds } = kept;
    return { kind: 'ready', effect, paths, workingDirectory, ...(callIds === undefined ? {} : { callIds }) };
  };

  /** Calls `act` with what is kept, and the call that it is kept for, while its working folder is locked. */
  const inFolder = async <T>(
    given: string,
    act: (kept: KeptUndo, callId: string) => Promise<T>,
  ): Promise<T | UndoState> => {
    const own = await read(given);
    const callId = own?.kind === 'with' ? own.callId : given;
    const found = own?.kind === 'with' ? await read(callId) : own;
    if (found?.kind !== 'kept') return { kind: found?.kind === 'undone' ? 'undone' : 'gone' };
    return await lockFolder(found.workingDirectory, place, async () => {
      // Somebody else may have undone it while we waited.
      const kept = await read(callId);
      if (kept?.kind !== 'kept') return { kind: kept?.kind === 'undone' ? 'undone' : 'gone' };
      const plan = await refreshPlan(kept, existsSync(join(rootOf(callId), TRIED)));
      return await act({ ...kept, plan }, callId);
    });
  };

  return {
    async apply(callId, draft, now, others = []) {
      const files = appliedFiles(draft);
      const drafted = await readDrafted(files);
      await applyChange(place, draft, now, async (oldAt) => {
        if (drafted === undefined) return;
        const { plan, workingDirectory, upper, git } = files;
        // Removing the draft's name of a file later would change the file's change time, and it would look changed by someone else.
        await removeTree(upper).catch(() => undefined);
        const moveOld = (to: string): Promise<void> => moveOldFiles(plan, to, oldAt);
        // The call is done. If this fails, it can't be undone.
        const changed = { plan, workingDirectory, drafted, moveOld, others, ...(git === undefined ? {} : { git }) };
        await keep(callId, changed).catch(() => undefined);
      });
    },
    keep: (callId, changed) => keep(callId, changed).catch(() => undefined),
    preview: (given) => inFolder(given, (kept, callId) => check(rootOf(callId), kept)),
    undo: (given, effectHash) =>
      inFolder<UndoState | 'done'>(given, async (kept, callId) => {
        await makeDraftsFolder(place.folder);
        const root = newCallFolder(place.folder);
        await mkdir(root, { mode: 0o700 });
        try {
          // If we are killed, the next start rolls this back and deletes it, and what is kept is still complete.
          await linkTree(join(rootOf(callId), 'upper'), join(root, 'upper'));
          if (kept.git?.pack !== undefined) await link(join(rootOf(callId), PACK_FILE), join(root, PACK_FILE));
          const state = await check(root, kept);
          if (state.kind !== 'ready' || state.effect.effectHash !== effectHash) return state;
          await writeFile(join(rootOf(callId), TRIED), '', { mode: 0o600 });
          await applyChange(place, undoIn(root, kept), await readDiskClock(join(root, 'clock')));
          await writeRecord(rootOf(callId), { kind: 'undone', at: Date.now() });
          known.delete(callId);
          await removeTree(join(rootOf(callId), 'upper')).catch(() => undefined);
          return 'done';
        } catch (error) {
          if (error instanceof ChangeConflict) return { kind: 'conflict', paths: error.conflicts };
          throw error;
        } finally {
          await discardFolder(root);
        }
      }),
    async list() {
      const all = await readAll('current');
      const kept = new Set(all.flatMap(({ callId, record }) => (record.kind === 'kept' ? [callId] : [])));
      const isKept = (callId: string, record: UndoRecord): boolean =>
        kept.has(record.kind === 'with' ? record.callId : callId);
      return all
        .filter(({ callId, record }) => isKept(callId, record))
        .map(({ callId, record: { at } }) => ({ invocationId: callId, until: at + limits.ms }));
    },
  };
}

function undoIn(root: string, { plan, workingDirectory, git }: KeptUndo): PlannedChange {
  return { plan, workingDirectory, root, upper: join(root, 'upper'), ...(git === undefined ? {} : { git }) };
}

/** Moves old files to the paths where they were. */
async function moveOldFiles(
  { path, inner, steps }: FolderPlan,
  upper: string,
  oldAt: (step: Step) => string,
): Promise<void> {
  for (const folder of inner) await moveOldFiles(folder, upper, oldAt);
  for (const step of steps) {
    if (step.kind === 'add') continue;
    const to = join(upper, path, step.name);
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    await rename(oldAt(step), to);
    if (step.kind === 'replace') continue;
    const { kind, mode } = readVersion(step.was[0]?.[1] ?? '');
    // A folder that we couldn't write to was opened to move it.
    if (kind === 'folder') await chmod(to, mode);
  }
}

/** Of the folder: a new record replaces the old one with a rename. */
async function changeTimeOf(root: string): Promise<number | undefined> {
  return (await lstat(root).catch(() => undefined))?.ctimeMs;
}

/** Old files whose names aren't UTF-8 can't be listed in an effect. */
function removesEscaped({ inner, steps }: FolderPlan): boolean {
  const isOdd = (step: Step): boolean => step.kind === 'remove' && step.was.some(([below]) => isEscaped(below));
  return steps.some(isOdd) || inner.some(removesEscaped);
}

function oldBytes({ inner, steps }: FolderPlan): number {
  const sizeOf = (version: string): number => readVersion(version).bytes;
  const own = steps.map((step) => {
    if (step.kind === 'add') return 0;
    if (step.kind === 'replace') return sizeOf(step.was);
    return step.was.reduce((sum, [, version]) => sum + sizeOf(version), 0);
  });
  return [...own, ...inner.map(oldBytes)].reduce((sum, bytes) => sum + bytes, 0);
}
