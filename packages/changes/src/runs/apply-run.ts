import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage, type Hold } from '@countersign/core/ports';
import { applyChange } from '../apply/apply-change.js';
import { findUnfinished, noteApplied, undoUnfinished, wasApplied } from '../apply/journal.js';
import { noteOurs } from '../apply/restored.js';
import { listChanges } from '../effect/list-changes.js';
import { readDiskClock } from '../files/disk-clock.js';
import { dropLeftovers, finishGitChange } from '../git/apply-git-change.js';
import type { LayerRules } from '../inspect/why-left-out.js';
import { ChangeConflict } from '../plan/change-conflict.js';
import { changeIn, isAsSigned, type SealedChange } from '../seal/sealed-change.js';
import type { KeptUndos } from '../undo/kept-undos.js';
import { moveRun, removeDraft, RunRefused, sealedFor, type RunFolders } from './run-folders.js';
import type { KeptRun } from './run-record.js';
import { othersChanged } from './seal-run.js';
import { hasStartRefs } from './start-run.js';

/** What a person or a rule has approved. */
export interface Signed {
  readonly effectHash: string;
  readonly rules: LayerRules;
  readonly hold?: Hold | undefined;
}

/** See `KeptRuns.apply`. The folder of the run must be locked. */
export async function applyRun(
  run: KeptRun,
  callId: string,
  { effectHash, rules }: Signed,
  { place, rootOf, undos }: Pick<RunFolders, 'place' | 'rootOf'> & { undos: Pick<KeptUndos, 'apply'> | undefined },
): Promise<SealedChange> {
  const { root } = run;
  const sealed = await sealedFor(run, callId, effectHash);
  if (sealed === undefined) throw new RunRefused(GONE);
  const change = changeIn(root, sealed);
  const keep = async (why: 'conflict' | 'failed', reason: string): Promise<void> =>
    await moveRun(run, { state: 'kept', why, reason });
  if (!(await isAsSigned(change, sealed, { effectHash, rules: { ...rules, withoutGit: true } }))) {
    await keep('failed', CHANGED);
    throw new RunRefused(CHANGED);
  }
  for (const name of ['applied.json', 'steps']) await rm(join(root, name), { force: true });
  const changes = run.record.part === undefined ? [] : await listChanges(change);
  const puts = changes.filter((one) => one.do === 'put');
  await moveRun(run, { state: 'applying' });
  try {
    const now = await readDiskClock(join(root, 'clock'));
    await (undos === undefined ? applyChange(place, change, now) : undos.apply(callId, change, now));
  } catch (error) {
    if (await wasApplied(root)) {
      await moveRun(run, { state: 'applied' });
      throw error;
    }
    if (error instanceof ChangeConflict) {
      const conflict = new ChangeConflict(error.conflicts, 'since the run started');
      await keep('conflict', othersChanged(error.conflicts));
      throw conflict;
    }
    await keep('failed', errorMessage(error));
    throw error;
  }
  if (run.record.part !== undefined) {
    // Without the note, the rest of the run is in conflict with it.
    await noteOurs(rootOf(run.record.part.of), change.workingDirectory, puts).catch(() => undefined);
  }
  await moveRun(run, { state: 'applied' });
  await removeDraft(root);
  return sealed;
}

/** Rolls back what a killed process was applying, or notes that all of it was. */
export async function recoverRun(run: KeptRun): Promise<void> {
  if (await finishGitChange(run.root)) await noteApplied(run.root);
  if ((await findUnfinished(run.root)) !== undefined) await undoUnfinished(run.root);
  if (run.status?.state !== 'applying') return;
  if (hasStartRefs(run.root)) await dropLeftovers(run.record.folder);
  if (await wasApplied(run.root)) await moveRun(run, { state: 'applied' });
  else await moveRun(run, { state: 'kept', why: 'failed', reason: INTERRUPTED });
}

const GONE = 'nothing was applied: this call may not apply this run, or no longer. See `countersign runs`';
const CHANGED =
  'nothing was applied: the draft or the rules changed after the change was sealed. Apply it again with `countersign runs apply`';
const INTERRUPTED = 'The server ended while it applied the changes, and undid that. Nothing was applied.';
