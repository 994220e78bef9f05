import type { Buffer } from 'node:buffer';
import { inRepository } from './refs.js';
import { GitFailed, runGit } from './run-git.js';

/** More files with another time than in the index count as changed without a comparison. */
const MOST_COMPARED = 500;

/**
 * Whether the person has staged or changed tracked files. Runs no filter that the repository configures. If it can't be known, such as before the
 * first commit, the answer is false.
 */
export async function hasOwnChanges(folder: string): Promise<boolean> {
  const git = (words: readonly string[], input = ''): Promise<Buffer> =>
    runGit([...inRepository(folder), ...words], { cwd: folder, input });
  try {
    if ((await git(['diff-index', '--cached', '--raw', '-z', 'HEAD'])).length > 0) return true;
    const fields = String(await git(['diff-files', '--raw', '-z', '--no-abbrev'])).split('\0');
    const changed: { oid: string; path: string }[] = [];
    for (let at = 0; at + 1 < fields.length; at += 2) {
      const [was, mode, oid = ''] = (fields[at] ?? '').slice(1).split(' ');
      const path = fields[at + 1] ?? '';
      if (was !== mode || !was?.startsWith('100') || path.includes('\n')) return true;
      changed.push({ oid, path });
    }
    if (changed.length === 0) return false;
    if (changed.length > MOST_COMPARED) return true;
    const names = changed.map(({ path }) => `${path}\n`).join('');
    const oids = String(await git(['hash-object', '--no-filters', '--stdin-paths'], names)).split('\n');
    return changed.some(({ oid }, at) => oids[at] !== oid);
  } catch (error) {
    if (error instanceof GitFailed) return false;
    throw error;
  }
}
