export { planChange } from './plan/plan-change.js';
export type { ActOnPlan } from './plan/plan-change.js';
export type { PlannedChange } from './plan/planned-change.js';
export { ChangeConflict } from './plan/change-conflict.js';
export { makeRemovalMarker } from './plan/layer-entries.js';
export { versionOf } from './plan/plan.js';
export { LONGEST_PATH } from './inspect/inspect-layer.js';
export { describeLeftOut } from './inspect/left-out.js';
export type { LeftOut } from './inspect/left-out.js';
export { whyHidden } from './inspect/new-files.js';
export type { LayerRules } from './inspect/why-left-out.js';
export { describeChange } from './effect/describe-change.js';
export type { DescribedChange } from './effect/describe-change.js';
export type { KeptResult, Rehearsed } from './effect/effect-of.js';
export { unifiedDiff } from './effect/unified-diff.js';
export { looksBinary } from './effect/looks-binary.js';
export { applyChange, discardFolder } from './apply/apply-change.js';
export type { ApplyChange } from './apply/apply-change.js';
export { applyPlan } from './apply/apply-plan.js';
export { draftFolders, makeCallFolder } from './apply/call-folders.js';
export { sweepFolders } from './apply/sweep-folders.js';
export { NoRehearsal, keptChanges } from './seal/kept-changes.js';
export { sealBatch } from './seal/seal-batch.js';
export type { KeptChanges, RehearsalBudget } from './seal/kept-changes.js';
export { isRunId, RunRefused } from './runs/run-folders.js';
export { keptRuns } from './runs/kept-runs.js';
export type { KeptRuns } from './runs/kept-runs.js';
export { programsOf, writeEnded } from './runs/run-record.js';
export type { KeptRun, RunRecord, RunStatus } from './runs/run-record.js';
export { diffOfWrite, previewWrite } from './write/preview-write.js';
export { keepWrite } from './write/keep-write.js';
export { NEW_FILE_MODE } from './write/file-write.js';
export type { FileWrite, OldFile } from './write/file-write.js';
export { readGitChange } from './git/read-git-change.js';
export type { EndedDraft } from './git/read-git-change.js';
export { describeGitChange, gitChangeSchema, isEmptyGitChange } from './git/git-change.js';
export type { GitChange } from './git/git-change.js';
export { ASIDE, setAside } from './git/set-aside.js';
export type { NotApplied } from './git/set-aside.js';
export { findIdentity } from './git/find-identity.js';
export { findGitFolder, keepStartRefs, START, whyNoGit } from './git/refs.js';
export { runProgram } from './git/run-git.js';
export type { InSandbox } from './git/run-git.js';
export { hashContent } from './undo/drafted-files.js';
export { findUndoPlace } from './undo/find-undo-place.js';
export { keptUndos } from './undo/kept-undos.js';
export type { KeptUndos, UndoLimits } from './undo/kept-undos.js';
export { foldersAbove } from './runs-later/find-repositories.js';
export { namedInSettings } from './runs-later/named-in-settings.js';
export type { NamedInSettings } from './runs-later/named-in-settings.js';
export { ENTRIES } from './runs-later/names.js';
export {
  SETTINGS,
  isGitFolder,
  isGitSetting,
  isRepositoryPart,
  kindOfFolder,
  runsByItself,
  runsLater,
} from './runs-later/runs-later.js';
export { MAX_FOLDERS, walkFolders } from './runs-later/walk-folders.js';
export { readDiskClock } from './files/disk-clock.js';
export type { DiskMoment } from './files/disk-clock.js';
export { inSlices } from './files/in-slices.js';
export { isInside } from './files/is-inside.js';
export { holdFolder, lockFolder, lockSlot } from './files/lock-folder.js';
export type { ProcessLock } from './files/lock-folder.js';
export { codeOf, linkOrRename } from './files/move.js';
export { find } from './files/open-folder.js';
export { isFolder, isProgram, isRunnable, realPath } from './files/probe.js';
export { removeTree } from './files/remove-tree.js';
export {
  SYSTEM_FOLDERS,
  SYSTEM_PATH,
  findSystemProgram,
  systemFolderIn,
  systemProgram,
} from './files/system-program.js';
