import type { BigIntStats } from 'node:fs';
import { versionOf } from '@countersign/changes';

/**
 * Changes with every write, rename or change of the mode or owner, and with a new hard link. Of a folder, only the mode and owner count: its entries
 * have their own versions.
 */
export function entryVersion(stats: BigIntStats): string {
  const { uid, gid, mode, nlink } = stats;
  return stats.isDirectory() ? `folder ${mode} ${uid} ${gid}` : `${versionOf(stats)} ${nlink}`;
}
