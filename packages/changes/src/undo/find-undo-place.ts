import type { ProcessLock } from '../files/lock-folder.js';
import { draftFolders } from '../apply/call-folders.js';
import { findSystemProgram } from '../files/system-program.js';
import { sweepFolders } from '../apply/sweep-folders.js';

/**
 * Where file tools keep what they replace if there is no sandbox with drafts. Rolls back what a killed process was undoing. Undefined if there is
 * no private folder that we can write to; nothing can then be undone.
 */
export async function findUndoPlace(): Promise<ProcessLock | undefined> {
  const [folder] = await draftFolders();
  if (folder === undefined) return undefined;
  const place = { folder, flock: findSystemProgram('flock') };
  await sweepFolders(place);
  return place;
}
