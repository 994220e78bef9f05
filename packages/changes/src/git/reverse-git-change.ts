import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { NO_TREE_PATHS, type GitChange } from './git-change.js';
import { hashFile, holdsObjects, PACK_FILE, revisions } from './read-draft.js';
import { inRepository, readRefs } from './refs.js';
import { runGit } from './run-git.js';

/**
 * The change that reverts one that has just been applied. Objects that no ref reaches any more are packed into `root`, because Git could delete
 * them before somebody undoes it. Only the holder of the folder's lock may call this.
 */
export async function reverseGitChange(
  { refs }: GitChange,
  { root, workingDirectory }: { root: string; workingDirectory: string },
): Promise<{ git: GitChange; bytes: number }> {
  const { refs: now } = await readRefs(workingDirectory);
  const to = join(root, PACK_FILE);
  const input = revisions([...new Set(refs.flatMap(({ from }) => from ?? []))], [...new Set(Object.values(now))]);
  const words = ['pack-objects', '-q', '--revs', '--stdout', '--delta-base-offset', '--no-use-bitmap-index'];
  await runGit([...inRepository(workingDirectory), ...words], { input, to });
  const isLost = await holdsObjects(to);
  if (!isLost) await rm(to);
  const reversed = refs.map(({ name, from, to: after }) => ({
    name,
    ...(after === undefined ? {} : { from: after }),
    ...(from === undefined ? {} : { to: from }),
  }));
  return {
    git: {
      refs: reversed,
      stays: [],
      commits: [],
      paths: NO_TREE_PATHS,
      ...(isLost ? { pack: await hashFile(to) } : {}),
    },
    bytes: isLost ? (await stat(to)).size : 0,
  };
}
