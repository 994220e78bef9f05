import { join } from 'node:path';
import { rm } from 'node:fs/promises';
import { listChanges, type Change, type Put } from '../effect/list-changes.js';
import type { PlannedChange } from '../plan/planned-change.js';
import { inQuarantine, type Quarantine } from './read-draft.js';

/** The line that tells this commit from the program's own. */
const MARK = 'Countersign-Commit: uncommitted changes of the run';

/**
 * A commit on top of `parent` with what a planned change does to the files and the program did not commit. Undefined if that is nothing. Only
 * paths of the change are read, so what somebody else has not committed stays out.
 */
export async function commitRest(
  files: PlannedChange,
  { parent, program, quarantine }: { parent: string | undefined; program: string; quarantine: Quarantine },
): Promise<{ id: string; message: string; paths: number } | undefined> {
  const changes = await listChanges(files);
  const env = { GIT_INDEX_FILE: join(quarantine.gitFolder, 'rest-index') };
  const git = (words: readonly string[], input = ''): Promise<string> =>
    inQuarantine(quarantine, words, { input, env });
  await rm(env.GIT_INDEX_FILE, { force: true });
  await git(parent === undefined ? ['read-tree', '--empty'] : ['read-tree', parent]);
  const lines = await indexLines(changes, files.upper, { format: parent?.length ?? 40, git, quarantine });
  await git(['update-index', '-z', '--add', '--replace', '--index-info'], lines.join(''));
  const tree = (await git(['write-tree'])).trim();
  const words = ['diff-tree', '-r', '-z', '--name-only', '--no-renames'];
  const changed =
    parent === undefined
      ? await git(['ls-tree', '-r', '-z', '--name-only', tree])
      : await git([...words, parent, tree]);
  const paths = changed.split('\0').length - 1;
  if (paths === 0) return undefined;
  const message = `Uncommitted changes of ${program.replaceAll(/\s+/g, ' ').slice(0, 60)}\n\n${MARK}`;
  const parents = parent === undefined ? [] : ['-p', parent];
  const id = (await git(['commit-tree', tree, ...parents], `${message}\n`)).trim();
  return { id, message, paths };
}

interface Indexing {
  /** The length of an object id. */
  readonly format: number;
  readonly git: (words: readonly string[], input?: string) => Promise<string>;
  readonly quarantine: Quarantine;
}

/** `MODE OID\tPATH`, in the order of the changes: a removal comes before what is put in its place. */
async function indexLines(
  changes: readonly Change[],
  upper: string,
  { format, git, quarantine }: Indexing,
): Promise<string[]> {
  const puts = changes.filter((change): change is Put => change.do === 'put');
  const files = puts.filter(({ kind }) => kind === 'file');
  const words = ['hash-object', '-w', '--no-filters', '--stdin-paths'];
  const names = files.map(({ path }) => `${quoted(path)}\n`).join('');
  const listed = files.length === 0 ? '' : await inQuarantine(quarantine, words, { input: names, cwd: upper });
  const ids = listed.split('\n');
  const lines = changes.flatMap((change) =>
    change.do === 'remove' ? change.was.map(([below]) => `0 ${'0'.repeat(format)}\t${join(change.path, below)}\0`) : [],
  );
  files.forEach(({ path, mode }, at) => {
    lines.push(`${(mode & 0o100) === 0 ? '100644' : '100755'} ${ids[at] ?? ''}\t${path}\0`);
  });
  for (const { path, kind, target } of puts) {
    if (kind !== 'link') continue;
    const id = (await git(['hash-object', '-w', '--no-filters', '--stdin'], target)).trim();
    lines.push(`120000 ${id}\t${path}\0`);
  }
  return lines;
}

/** As Git reads names from a list with one name per line. */
function quoted(path: string): string {
  if (!/["\n\\]/.test(path)) return path;
  return `"${path
    .replaceAll('\\', '\\\\')
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`)}"`;
}
