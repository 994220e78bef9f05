import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFolder, type ProcessLock } from '../files/lock-folder.js';
import { KEPT, KEPT_MS, OWNER, PID, UNDO, UNDO_MS } from './call-folders.js';
import { findPendingGit, finishGitChange } from '../git/apply-git-change.js';
import { findUnfinished, noteApplied, undoUnfinished } from './journal.js';
import { removeTree } from '../files/remove-tree.js';

/**
 * Removes drafts left by killed processes. One that was being applied is undone first; the others are never applied: the outcome of their
 * commands is unknown (STORE3).
 */
export async function sweepFolders(lock: ProcessLock): Promise<void> {
  for (const name of await readdir(lock.folder).catch(() => [])) {
    const root = join(lock.folder, name);
    // If it is that old, its server no longer exists, or it would have dropped it.
    const most = name.startsWith(KEPT) ? KEPT_MS : name.startsWith(UNDO) ? UNDO_MS : undefined;
    if (most !== undefined && (await isOlderThan(root, Date.now() - most)))
      await removeTree(root).catch(() => undefined);
    const number = name.startsWith(OWNER) ? PID.exec(name.slice(OWNER.length))?.[1] : undefined;
    const pid = number === undefined ? undefined : Number(number);
    if (pid === undefined || ((await isAlive(pid)) && !(pid === process.pid && (await isOlderThanWe(root))))) continue;
    await sweep(root, lock).catch(() => undefined);
  }
}

/** If undoing fails, the draft stays, and the next start tries again. */
async function sweep(root: string, lock: ProcessLock): Promise<void> {
  const workingDirectory = (await findUnfinished(root)) ?? (await findPendingGit(root));
  if (workingDirectory !== undefined)
    await lockFolder(workingDirectory, lock, async () => {
      if (await finishGitChange(root)) await noteApplied(root);
      await undoUnfinished(root);
    });
  await removeTree(root);
}

/** Also compares ages, because in a container a restarted server gets the same PID as before. */
async function isOlderThanWe(path: string): Promise<boolean> {
  return await isOlderThan(path, Date.now() - process.uptime() * 1_000 - 1_000);
}

async function isOlderThan(path: string, ms: number): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats !== undefined && stats.mtimeMs < ms;
}

async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && Reflect.get(error, 'code') === 'EPERM';
  }
  // A killed process keeps its PID until its parent notices, which in some containers takes long.
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => undefined);
  return stat === undefined || !/^[ZX]$/.test(stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3));
}
