import { join } from 'node:path';
import type { SealedBatch } from '@countersign/core/ports';
import type { PlannedChange } from '../plan/planned-change.js';
import { describeChange } from '../effect/describe-change.js';
import { hashEffect, WHOLE_LIMITS, type Rehearsed } from '../effect/effect-of.js';
import { listChanges } from '../effect/list-changes.js';
import { readDiskClock } from '../files/disk-clock.js';
import { holdFolder, lockFolder, type ProcessLock } from '../files/lock-folder.js';
import { inspectLayer } from '../inspect/inspect-layer.js';
import type { KeptUndos } from '../undo/kept-undos.js';
import { isCurrent } from './sealed-change.js';

/** Calls that print nothing together. */
const NOTHING_PRINTED: Rehearsed = { leftOut: [], result: { exitCode: 0, stdout: '', stderr: '' } };

/** Seals what several calls change together. Its `root` is one that the next start rolls back and removes if we are killed. */
export async function sealBatch(
  place: ProcessLock,
  undos: Pick<KeptUndos, 'apply'>,
  change: PlannedChange,
  signal: AbortSignal,
): Promise<Omit<SealedBatch, 'discard'> & { bytes: number }> {
  const { effect, paths, bytes } = await describeChange(change, NOTHING_PRINTED, { signal });
  const { effectHash } = effect;
  const { workingDirectory, root } = change;
  let isApplied = false;
  return {
    effect,
    ...(paths === undefined ? {} : { paths }),
    bytes,
    async show(reading) {
      const shown = await describeChange(change, NOTHING_PRINTED, { signal: reading, limits: WHOLE_LIMITS });
      return shown.effect.effectHash === effectHash ? shown.effect : effect;
    },
    async hold() {
      const hold = await holdFolder(workingDirectory, place);
      if (!isApplied && (await isCurrent(change))) return hold;
      await hold.release();
      return undefined;
    },
    apply: ([callId = '', ...others], hold) =>
      lockFolder(
        workingDirectory,
        place,
        async () => {
          if (isApplied) throw new Error(GONE);
          isApplied = true;
          // All of its content once more, at the last moment.
          const leftOut = await inspectLayer(change.upper, workingDirectory, {});
          if (leftOut.length > 0 || hashEffect(await listChanges(change), NOTHING_PRINTED) !== effectHash)
            throw new Error(GONE);
          await undos.apply(callId, change, await readDiskClock(join(root, 'clock')), others);
        },
        hold,
      ),
  };
}

const GONE = 'none of the changes were applied: what was approved is no longer there. Review the calls again';
