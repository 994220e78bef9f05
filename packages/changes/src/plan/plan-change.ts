import { join } from 'node:path';
import { readDiskClock, wentBack, type DiskMoment } from '../files/disk-clock.js';
import { lockFolder, type ProcessLock } from '../files/lock-folder.js';
import { inspectLayer } from '../inspect/inspect-layer.js';
import { isNew, type LeftOut } from '../inspect/left-out.js';
import type { LayerRules } from '../inspect/why-left-out.js';
import type { StillSeen } from './find-emptied.js';
import { planLayer } from './plan-layer.js';
import type { PlannedChange } from './planned-change.js';
import { readRemoved } from './removed-paths.js';

/** What a program wrote over a working folder. All its writers must be dead. */
export interface WrittenLayer {
  /** A folder of `makeCallFolder`, which contains `upper`. */
  readonly root: string;
  /** New and changed paths, and markers for removed ones. */
  readonly upper: string;
  readonly workingDirectory: string;
  /** A moment before the program started. Later changes by others conflict with its changes. */
  readonly since: DiskMoment;
  readonly stillSeen: StillSeen;
  /** See `LayerToPlan`. */
  readonly skipsSame?: true | undefined;
  /** See `LayerToPlan`. */
  readonly restored?: ReadonlyMap<string, string> | undefined;
  /** For a layer that may be planned several times: keeps what is left out, which the layer then lacks, and returns all that ever was. */
  readonly noteLeftOut?: (leftOut: readonly LeftOut[]) => Promise<readonly LeftOut[]>;
}

/** Gets a planned change, what was left out of it, and the current moment, while the folder is locked. */
export type ActOnPlan<T> = (change: PlannedChange, leftOut: readonly LeftOut[], now: DiskMoment) => Promise<T>;

/**
 * Leaves out what must not reach the folder, plans the rest, and calls `act`. Rejects with `ChangeConflict` if someone else changed the same paths
 * since the program started. Applies nothing.
 */
export async function planChange<T>(
  lock: ProcessLock,
  { root, upper, workingDirectory, since, stillSeen, skipsSame, restored, noteLeftOut }: WrittenLayer,
  rules: LayerRules,
  act: ActOnPlan<T>,
): Promise<T> {
  return await lockFolder(workingDirectory, lock, async () => {
    const now = await readDiskClock(join(root, 'clock'));
    if (wentBack(since, now)) throw new Error('the system clock was set back while it ran; run the command again');
    const found = await inspectLayer(upper, workingDirectory, rules);
    const refused = (await noteLeftOut?.(found)) ?? found;
    const { plan, leftOut } = await planLayer({
      upper,
      workingDirectory,
      since,
      stillSeen,
      skipsSame,
      restored,
      keepRemoved: refused.some(isNew),
      wasRemoved: await readRemoved(lock.folder, workingDirectory, since),
    });
    return await act({ plan, workingDirectory, upper, root }, [...refused, ...leftOut], now);
  });
}
