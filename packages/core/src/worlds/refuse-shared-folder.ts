import type { WorldSettings } from '@countersign/protocol';
import type { WorldSnapshot } from '../memory/world-snapshot.js';
import type { StoreReader } from '../ports/index.js';
import type { Runtime } from '../step/runtime.js';
import { refuseUnconfirmed } from './refuse-unconfirmed.js';

/**
 * Refuses to give a world the folder of another one that has a rule `with passkey`, unless a trusted passkey confirmed it: agents could do there
 * without the passkey what the rule is about (SIGN2.7).
 */
export async function refuseSharedFolder(
  runtime: Pick<Runtime, 'findPlace' | 'caches'>,
  reader: StoreReader,
  { worldId, settings, isConfirmed }: { worldId?: string; settings: WorldSettings; isConfirmed: boolean },
): Promise<void> {
  if (isConfirmed || settings.workingDirectory === undefined) return;
  for (const { id } of await reader.worlds()) {
    const other = id === worldId ? undefined : await runtime.caches.snapshots.read(reader, id);
    if (other === undefined) continue;
    const folder = folderOf(runtime, { ...other, world: { ...other.world, settings } });
    refuseUnconfirmed(other, { kind: 'folder-shared', folder, taken: folderOf(runtime, other) }, false);
  }
}

/** The real path, or the path as it is written if there is no such folder now. */
export function folderOf({ findPlace }: Pick<Runtime, 'findPlace'>, snapshot: WorldSnapshot): string {
  try {
    return findPlace(snapshot).workingDirectory;
  } catch {
    return snapshot.world.settings.workingDirectory ?? '';
  }
}
