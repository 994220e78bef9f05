import type { ProcessLock } from '../../../files/lock-folder.js';
import { draftFolders } from '../../find-drafting.js';
import { findSystemProgram } from '../../programs/system-program.js';
import { sweepDrafts } from '../sweep-drafts.js';

/**
 * Where file tools keep what they replace if there is no sandbox with drafts. Rolls back what a killed process was undoing. Undefined if there is
 * no private folder that we can write to; nothing can then be undone.
 */
export async function findUndoPlace(): Promise<ProcessLock | undefined> {
  const [folder] = await draftFolders();
  if (folder === undefined) return undefined;
  const place = { folder, flock: findSystemProgram('flock') };
  await sweepDrafts(place);
  return place;
}
